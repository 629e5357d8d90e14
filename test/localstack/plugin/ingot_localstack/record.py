"""
What functions ask AWS for, and what their roles let them: two files of JSON lines, for the test that holds the one against
the other, because LocalStack itself lets everybody do everything.
"""
import json
import os
import re
import threading

LOCK = threading.Lock()
TRANSACTED = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}
# Members of requests that say what they are about; the others may be large, or secret.
TELLING = ("TableName", "Bucket", "Key", "Prefix", "KeyId", "stateMachineArn", "executionArn", "FunctionName", "Name", "SSEKMSKeyId")


def write(file, line):
    with LOCK, open(f"{os.environ['INGOT_RECORDS']}/{file}.jsonl", "a") as out:
        out.write(json.dumps(line) + "\n")


def listed(value):
    return value if isinstance(value, list) else [value]


def record_role(function, env, role_arn, iam):
    """The caller whom an access key stands for, with the statements of his role that are ours."""
    role = role_arn.split("/")[-1]
    names = iam.list_role_policies(RoleName=role)["PolicyNames"]
    documents = [iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"] for name in names]
    statements = [statement for document in documents for statement in listed(document["Statement"])]
    write("callers", {"function": function, "key": env["AWS_ACCESS_KEY_ID"], "bucket_key": env.get("BUCKET_KMS_KEY_ID"), "statements": statements})


def access_key(request):
    found = re.search(r"Credential=(\w+)/", request.headers.get("Authorization", ""))
    return found[1] if found else request.args.get("X-Amz-Credential", "").split("/")[0]


def parts(operation, given):
    """A request of several parts is as many."""
    if operation == "TransactWriteItems":
        return [(TRANSACTED[kind], part) for item in given["TransactItems"] for kind, part in item.items()]
    if operation == "BatchGetItem":
        return [(operation, {"TableName": table}) for table in given["RequestItems"]]
    if operation == "PutEvents":
        return [(operation, {"Name": entry.get("EventBusName")}) for entry in given["Entries"]]
    return [(operation, given)]


def record_call(chain, context, response):
    if context.service is None or context.operation is None or not context.service_request:
        return
    key = access_key(context.request)
    # Temporary keys are those of roles.
    if not key.startswith(("ASIA", "LSIA")):
        return
    for operation, given in parts(context.operation.name, context.service_request):
        told = {name: given[name] for name in TELLING if isinstance(given.get(name), str)}
        write("calls", {"key": key, "service": context.service.service_name, "operation": operation, **told})


def install():
    from localstack.aws.handlers import serve_custom_service_request_handlers

    serve_custom_service_request_handlers.append(record_call)
