"""DynamoDB without LocalStack's own download: the jars of Maven Central, by class path."""
import os


def install():
    from localstack.services.dynamodb.packages import DynamoDBLocalPackageInstaller
    from localstack.services.dynamodb.server import DynamodbServer

    def command(self):
        jars = os.environ["INGOT_DYNAMODB_JARS"]
        given = ["java", f"-Xmx{self.heap_size}", f"-Djava.library.path={jars}", "-cp", f"{jars}:{jars}/*"]
        given += ["Loopback", "-port", str(self.port), "-disableTelemetry"]
        given += ["-dbPath", self.db_path] if self.db_path else ["-inMemory"]
        return given + (["-sharedDb"] if self.share_db else [])

    DynamoDBLocalPackageInstaller.is_installed = lambda self: True
    DynamoDBLocalPackageInstaller.get_java_env_vars = lambda self: {}
    DynamodbServer._create_shell_command = command
