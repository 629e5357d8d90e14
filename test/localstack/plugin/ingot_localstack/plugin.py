"""What LocalStack loads by entry point. Nothing of LocalStack's heavy parts is imported before it is needed."""
from localstack.runtime import hooks
from localstack.services.cloudformation.resource_provider import CloudFormationResourceProviderPlugin
from localstack.services.lambda_.invocation.plugins import RuntimeExecutorPlugin


class ProcessExecutorPlugin(RuntimeExecutorPlugin):
    """LAMBDA_RUNTIME_EXECUTOR=process"""

    name = "process"

    def load(self, *args, **kwargs):
        from .executor import ProcessExecutor

        return ProcessExecutor


def listen_on_loopback():
    """By itself it listens on every address, whatever GATEWAY_LISTEN says."""
    from functools import partial

    from twisted.internet import endpoints

    endpoints.TCP4ServerEndpoint = partial(endpoints.TCP4ServerEndpoint, interface="127.0.0.1")


@hooks.on_infra_start()
def ingot_prepare():
    from . import cfn, dynamodb, gateway, record

    listen_on_loopback()
    cfn.install()
    dynamodb.install()
    gateway.install()
    record.install()


class AuthorizerProviderPlugin(CloudFormationResourceProviderPlugin):
    name = "AWS::ApiGateway::Authorizer"

    def __init__(self):
        self.factory = None

    def load(self):
        from .cfn import AuthorizerProvider

        self.factory = AuthorizerProvider
