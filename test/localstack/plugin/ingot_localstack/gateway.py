"""
What LocalStack's community edition leaves out of API Gateway (REST): REQUEST authorizers that are Lambdas, and the
templates, headers and status of gateway responses. Written after AWS's documents of both.
"""
import hashlib
import json
import re
import threading
import time

METHOD_ARN = "arn:aws:execute-api:{region}:{account}:{api}/{stage}/{method}{path}"


class Authorizers:
    def __init__(self):
        self.kept = {}
        self.lock = threading.Lock()

    def __call__(self, chain, context, response):
        method = context.resource_method
        if method.get("authorizationType") != "CUSTOM":
            return
        from localstack.services.apigateway.next_gen.execute_api import gateway_response as answers

        authorizer = self.find(context, method["authorizerId"])
        identity = self.identity_of(context, authorizer)
        if identity is None:
            raise answers.UnauthorizedError("Unauthorized")
        arn = self.method_arn(context)
        result = self.ask(context, authorizer, identity, arn)
        if not allows(result.get("policyDocument") or {}, arn):
            raise answers.AccessDeniedError("User is not authorized to access this resource with an explicit deny")
        values = {name: value if isinstance(value, (bool, int, float)) else str(value) for name, value in (result.get("context") or {}).items()}
        text = {name: json.dumps(value) if not isinstance(value, str) else value for name, value in values.items()}
        context.context_variables["authorizer"] = {"principalId": result.get("principalId"), "integrationLatency": 1, **text}

    def find(self, context, authorizer_id):
        found = context.deployment.rest_api.authorizers
        return found[authorizer_id] if isinstance(found, dict) else next(a for a in found if a["id"] == authorizer_id)

    def method_arn(self, context):
        request = context.invocation_request
        return METHOD_ARN.format(region=context.region, account=context.account_id, api=context.api_id, stage=context.stage, method=request["http_method"], path=request["path"])

    def identity_of(self, context, authorizer):
        values = []
        for source in (authorizer.get("identitySource") or "").split(","):
            match = re.fullmatch(r"\s*method\.request\.(header|querystring)\.(.+?)\s*", source)
            if not match:
                continue
            request = context.invocation_request
            value = request["headers"].get(match[2]) if match[1] == "header" else request["query_string_parameters"].get(match[2])
            # Without one of its identity sources nobody is asked.
            if not value:
                return None
            values.append(value)
        return hashlib.sha256("\0".join(values).encode()).hexdigest()

    def ask(self, context, authorizer, identity, arn):
        ttl = int(authorizer.get("authorizerResultTtlInSeconds", 300) or 0)
        key = (context.api_id, context.stage, authorizer["id"], identity)
        with self.lock:
            known = self.kept.get(key)
        if known and known[0] > time.time():
            return known[1]
        result = self.invoke(context, authorizer, arn)
        if ttl:
            with self.lock:
                self.kept[key] = (time.time() + ttl, result)
        return result

    def invoke(self, context, authorizer, arn):
        from localstack.aws.connect import connect_to
        from localstack.services.apigateway.next_gen.execute_api import gateway_response as answers
        from localstack.services.apigateway.next_gen.execute_api.integrations.aws import RestApiAwsProxyIntegration

        request = context.invocation_request
        headers = dict(request["headers"])
        multi = {name: request["headers"].getlist(name) for name in headers}
        event = {
            "type": "REQUEST",
            "methodArn": arn,
            "resource": context.resource["path"],
            "path": request["path"],
            "httpMethod": request["http_method"],
            "headers": RestApiAwsProxyIntegration._format_headers(headers),
            "multiValueHeaders": RestApiAwsProxyIntegration._format_headers(multi),
            "queryStringParameters": request["query_string_parameters"],
            "multiValueQueryStringParameters": request["multi_value_query_string_parameters"],
            "pathParameters": request["path_parameters"] or {},
            "stageVariables": context.stage_variables or {},
            "requestContext": context.context_variables,
        }
        function = re.search(r"functions/(arn:[^/]+)/invocations", authorizer["authorizerUri"])[1]
        answer = connect_to(region_name=context.region, aws_access_key_id=context.account_id).lambda_.invoke(FunctionName=function, Payload=json.dumps(event, default=str))
        body = answer["Payload"].read()
        if answer.get("FunctionError"):
            failure = json.loads(body or b"{}")
            if failure.get("errorMessage") == "Unauthorized":
                raise answers.UnauthorizedError("Unauthorized")
            raise answers.AuthorizerFailureError("Internal Server Error", 500)
        result = json.loads(body or b"null")
        if not isinstance(result, dict) or "policyDocument" not in result or "principalId" not in result:
            raise answers.AuthorizerConfigurationError()
        return result


# API Gateway takes 10 MB; Lambda 6 MB, counted in the JSON text of the event.
MAX_BODY = 10 * 1024 * 1024
MAX_EVENT = 6 * 1024 * 1024


def refuse_large(chain, context, response):
    from localstack.services.apigateway.next_gen.execute_api import gateway_response as answers

    body = context.invocation_request["body"]
    if len(body) > MAX_BODY or len(json.dumps(body.decode("utf-8", "replace"))) > MAX_EVENT:
        raise answers.RequestTooLargeError("Request Too Long")


def matches(pattern, arn):
    return re.fullmatch(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."), arn, re.S) is not None


def allows(policy, arn):
    effects = set()
    for statement in policy.get("Statement", []):
        resources = statement.get("Resource", [])
        if any(matches(pattern, arn) for pattern in ([resources] if isinstance(resources, str) else resources)):
            effects.add(statement["Effect"])
    return effects == {"Allow"}


def respond(handler):
    """The configured template, headers and status; only `$context.error.*` is filled in."""
    plain = handler.create_exception_response

    def create(exception, context):
        from localstack.services.apigateway.next_gen.execute_api.gateway_response import get_gateway_response_or_default

        response = plain(exception, context)
        row = get_gateway_response_or_default(exception.type, context.deployment.rest_api.gateway_responses)
        if row.get("defaultResponse", True):
            return response
        templates = row.get("responseTemplates") or {}
        # JSON if there is such a template, else the one that there is.
        kind = "application/json" if "application/json" in templates else next(iter(templates), None)
        if kind is not None:
            template = templates[kind]
            message = json.dumps(exception.message)
            response.data = template.replace("$context.error.messageString", message).replace("$context.error.message", message[1:-1])
            response.headers["Content-Type"] = kind
        for name, value in (row.get("responseParameters") or {}).items():
            if name.startswith("gatewayresponse.header.") and value.startswith("'"):
                response.headers[name.removeprefix("gatewayresponse.header.")] = value.strip("'")
        return response

    handler.create_exception_response = create


def install():
    from localstack.services.apigateway.next_gen.execute_api import handlers

    handlers.preprocess_request.append(Authorizers())
    handlers.preprocess_request.append(refuse_large)
    respond(handlers.gateway_exception_handler)
