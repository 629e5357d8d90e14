"""Runs a function version as a Node process on this machine, in the place of the container of the docker executor."""
import json
import logging
import math
import os
import re
import signal
import subprocess
import threading
from concurrent.futures import InvalidStateError
from pathlib import Path

from localstack import config
from localstack.aws.connect import connect_to
from localstack.services.lambda_.invocation.executor_endpoint import ExecutorEndpoint
from localstack.services.lambda_.invocation.lambda_models import InvocationResult
from localstack.services.lambda_.invocation.runtime_executor import RuntimeExecutor
from localstack.utils.net import get_free_tcp_port

from .record import record_role

LOG = logging.getLogger(__name__)
HOST = "127.0.0.1"
BOOTSTRAP = Path(__file__).with_name("bootstrap.mjs")


def setting(name: str) -> str:
    return os.environ[f"LAMBDA_PROCESS_{name}"]


def reachable(value: str) -> str:
    """The name of an API's host is one of AWS; here nobody resolves it."""
    here = f"http://{HOST}:{config.GATEWAY_LISTEN[0].port}/_aws/execute-api"
    return re.sub(r"https://([a-z0-9]+)\.execute-api\.[^/]+", rf"{here}/\1", value)


class ProcessExecutor(RuntimeExecutor):
    """
    LAMBDA_PROCESS_NODE  the node binary
    LAMBDA_PROCESS_LOGS  folder for what the functions print, one file an environment

    Between invocations the process is stopped, as Lambda freezes its sandboxes.
    """

    def __init__(self, id, function_version):
        super().__init__(id, function_version)
        self.endpoint = ExecutorEndpoint(id, container_address=HOST)
        self.process = None
        self.env = {}
        self.stopped = False

    # -- lifecycle

    def start(self, env_vars):
        self.endpoint.start()
        self.env = {name: reachable(str(value)) for name, value in env_vars.items() if value is not None}
        record_role(self.function_version.id.function_name, self.env, self.function_version.config.role, connect_to().iam)
        self._spawn()
        self.endpoint.wait_for_startup()
        self._stop_the_clock()

    def _spawn(self):
        code = str(self.function_version.config.code.get_unzipped_code_location())
        self.endpoint.container_port = get_free_tcp_port()
        memory = int(self.function_version.config.memory_size or 128)
        env = {
            "PATH": os.environ["PATH"],
            "LANG": "en_US.UTF-8",
            **self.env,
            "LAMBDA_TASK_ROOT": code,
            "INVOKE_PORT": str(self.endpoint.container_port),
        }
        log = open(f"{setting('LOGS')}/{self.function_version.id.function_name}-{self.id[:6]}.log", "ab", buffering=0)
        # 90 % of the memory of the function for the heap, as Lambda's own runtime does.
        command = [setting("NODE"), f"--max-old-space-size={math.floor(memory * 0.9)}", str(BOOTSTRAP)]
        self.process = subprocess.Popen(command, cwd=code, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        log.close()
        threading.Thread(target=self._watch, args=(self.process,), daemon=True).start()

    def _watch(self, process):
        code = process.wait()
        if self.stopped:
            return
        startup, running = self.endpoint.startup_future, self.endpoint.invocation_future
        error = json.dumps({"errorType": "Runtime.ExitError", "errorMessage": f"RequestId: {self.id} Error: Runtime exited with error: exit status {code}"})
        try:
            if startup and not startup.done():
                startup.set_exception(RuntimeError(error))
            elif running and not running.done():
                running.set_result(InvocationResult(self.id, error.encode(), is_error=True, logs=self.endpoint.logs))
        except InvalidStateError:
            pass

    def stop(self):
        self.stopped = True
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process.wait(5)
        try:
            self.endpoint.shutdown()
        except Exception as error:
            LOG.debug("Executor endpoint of %s: %s", self.function_version.qualified_arn, error)

    # -- invocations

    def _stop_the_clock(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGSTOP)

    def invoke(self, payload):
        if self.process.poll() is not None:
            self._spawn()
        self.process.send_signal(signal.SIGCONT)
        seconds = int(self.function_version.config.timeout)
        timer = threading.Timer(seconds, self._time_out, args=(payload["invoke-id"], seconds))
        timer.daemon = True
        timer.start()
        try:
            return self.endpoint.invoke(payload)
        finally:
            timer.cancel()
            self._stop_the_clock()

    def _time_out(self, request_id, seconds):
        body = {"errorType": "Sandbox.Timedout", "errorMessage": f"RequestId: {request_id} Error: Task timed out after {seconds:.2f} seconds"}
        future = self.endpoint.invocation_future
        LOG.warning("%s timed out after %s s", self.function_version.qualified_arn, seconds)
        try:
            future.set_result(InvocationResult(request_id, json.dumps(body).encode(), is_error=True, logs=self.endpoint.logs))
        except InvalidStateError:
            return
        self.process.kill()

    # -- what LocalStack asks

    def get_address(self):
        return HOST

    def get_endpoint_from_executor(self):
        return HOST

    def get_runtime_endpoint(self):
        return f"http://{HOST}:{config.GATEWAY_LISTEN[0].port}{self.endpoint.get_endpoint_prefix()}"

    def get_logs(self):
        return ""

    @classmethod
    def prepare_version(cls, function_version):
        if function_version.config.code:
            function_version.config.code.prepare_for_execution()

    @classmethod
    def cleanup_version(cls, function_version):
        pass

    @classmethod
    def validate_environment(cls):
        return os.access(setting("NODE"), os.X_OK)
