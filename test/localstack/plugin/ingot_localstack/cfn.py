"""What the community edition lacks of CloudFormation: a type for authorizers, and new versions behind an alias."""
from localstack.services.cloudformation.resource_provider import OperationStatus, ProgressEvent, ResourceProvider


def lower(model: dict, names: list[str]) -> dict:
    return {name[0].lower() + name[1:]: model[name] for name in names if name in model}


class AuthorizerProvider(ResourceProvider):
    TYPE = "AWS::ApiGateway::Authorizer"
    SCHEMA = {
        "typeName": TYPE,
        "properties": {"AuthorizerId": {"type": "string"}, "RestApiId": {"type": "string"}},
        "readOnlyProperties": ["/properties/AuthorizerId"],
        "primaryIdentifier": ["/properties/RestApiId", "/properties/AuthorizerId"],
    }

    def create(self, request):
        model = request.desired_state
        names = ["RestApiId", "Name", "Type", "AuthorizerUri", "AuthorizerCredentials", "IdentitySource", "ProviderARNs", "AuthorizerResultTtlInSeconds", "IdentityValidationExpression"]
        given = lower(model, names)
        if "authorizerResultTtlInSeconds" in given:
            given["authorizerResultTtlInSeconds"] = int(given["authorizerResultTtlInSeconds"])
        answer = request.aws_client_factory.apigateway.create_authorizer(**given)
        model["AuthorizerId"] = answer["id"]
        return ProgressEvent(status=OperationStatus.SUCCESS, resource_model=model, custom_context=request.custom_context)

    def update(self, request):
        self.delete(type("R", (), {"desired_state": request.previous_state, "aws_client_factory": request.aws_client_factory, "custom_context": request.custom_context}))
        return self.create(request)

    def delete(self, request):
        model = request.desired_state
        request.aws_client_factory.apigateway.delete_authorizer(restApiId=model["RestApiId"], authorizerId=model["AuthorizerId"])
        return ProgressEvent(status=OperationStatus.SUCCESS, resource_model=model, custom_context=request.custom_context)

    def read(self, request):
        return ProgressEvent(status=OperationStatus.SUCCESS, resource_model=request.desired_state)


def update_alias(self, request):
    model = request.desired_state
    model["Id"] = request.previous_state["Id"]
    given = {name: model[name] for name in ("FunctionName", "Name", "FunctionVersion")}
    request.aws_client_factory.lambda_.update_alias(**given)
    return ProgressEvent(status=OperationStatus.SUCCESS, resource_model=model, custom_context=request.custom_context)


def install():
    """By itself it makes an alias anew, beside the one that there is, because the version that tells its function is new."""
    from localstack.services.lambda_.resource_providers.lambda_alias import LambdaAliasProvider

    LambdaAliasProvider.SCHEMA = {**LambdaAliasProvider.SCHEMA, "createOnlyProperties": []}
    LambdaAliasProvider.update = update_alias
