// Plays Lambda's Node runtime: loads the handler, takes one invocation at a time over HTTP from LocalStack's executor
// and posts the outcome to the executor's endpoint.
import { existsSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { env } = process;
const base = new URL(env.LOCALSTACK_RUNTIME_ENDPOINT);
const agent = new Agent({ keepAlive: false });
const maxAnswer = 6 * 1024 * 1024 + 100;

const post = (path, body) =>
  new Promise((resolve, reject) => {
    const bytes = Buffer.from(body);
    const headers = { 'content-type': 'application/json', 'content-length': bytes.length };
    const { hostname, port, pathname } = base;
    const sent = request({ agent, hostname, port, path: `${pathname}/${path}`, method: 'POST', headers }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode));
    });
    sent.on('error', reject);
    sent.end(bytes);
  });

// What is printed while an invocation runs is its log.
let lines = '';
for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream);
  stream.write = (chunk, ...more) => {
    lines += chunk.toString();
    return write(chunk, ...more);
  };
}

const explain = (error) => ({
  errorType: error?.name ?? typeof error,
  errorMessage: error?.message ?? String(error),
  trace: String(error?.stack ?? '').split('\n'),
});

const load = async () => {
  const at = env._HANDLER.lastIndexOf('.');
  const [file, name] = [env._HANDLER.slice(0, at), env._HANDLER.slice(at + 1)];
  const found = ['.mjs', '.js', '.cjs'].map((end) => join(env.LAMBDA_TASK_ROOT, file + end)).find(existsSync);
  if (!found) throw Object.assign(new Error(`Cannot find module '${file}'`), { name: 'Runtime.ImportModuleError' });
  const { [name]: handler } = await import(pathToFileURL(found).href);
  if (typeof handler !== 'function')
    throw Object.assign(new Error(`${env._HANDLER} is undefined or not exported`), { name: 'Runtime.HandlerNotFound' });
  return handler;
};

const runOne = async (handler, call) => {
  const { 'invoke-id': id, 'invoked-function-arn': arn, payload, 'trace-id': trace } = call;
  const deadline = Date.now() + Number(env.AWS_LAMBDA_FUNCTION_TIMEOUT) * 1000;
  const began = performance.now();
  env._X_AMZN_TRACE_ID = trace;
  lines = `START RequestId: ${id} Version: ${env.AWS_LAMBDA_FUNCTION_VERSION}\n`;
  const context = {
    callbackWaitsForEmptyEventLoop: true,
    awsRequestId: id,
    invokedFunctionArn: arn,
    functionName: env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: env.AWS_LAMBDA_FUNCTION_VERSION,
    memoryLimitInMB: env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    logGroupName: env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: env.AWS_LAMBDA_LOG_STREAM_NAME,
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
  let [outcome, body] = ['response', ''];
  try {
    const event = JSON.parse(payload);
    // Tests look here for what a function was called for.
    if (event?.source) process.stdout.write(`EVENT ${JSON.stringify(event)}\n`);
    body = JSON.stringify((await handler(event, context)) ?? null);
    const size = Buffer.byteLength(body);
    if (size > maxAnswer)
      throw Object.assign(
        new Error(`Response payload size (${size} bytes) exceeded maximum allowed payload size (6291556 bytes).`),
        {
          name: 'Function.ResponseSizeTooLarge',
        },
      );
  } catch (error) {
    [outcome, body] = ['error', JSON.stringify(explain(error))];
    lines += `${new Date().toISOString()}\t${id}\tERROR\tInvoke Error\t${body}\n`;
  }
  const ms = (performance.now() - began).toFixed(2);
  lines += `END RequestId: ${id}\nREPORT RequestId: ${id}\tDuration: ${ms} ms\n`;
  await post(`invocations/${id}/logs`, JSON.stringify({ logs: lines }));
  await post(`invocations/${id}/${outcome}`, body);
};

try {
  const handler = await load();
  const take = async (incoming, answer) => {
    const call = JSON.parse(Buffer.concat(await incoming.toArray()).toString());
    answer.writeHead(202).end();
    await runOne(handler, call);
  };
  const server = createServer((incoming, answer) => void take(incoming, answer));
  server.listen(
    Number(env.INVOKE_PORT),
    '127.0.0.1',
    () => void post(`status/${env.LOCALSTACK_RUNTIME_ID}/ready`, '{}'),
  );
} catch (error) {
  process.stderr.write(`${error?.stack ?? error}\n`);
  await post(`status/${env.LOCALSTACK_RUNTIME_ID}/error`, JSON.stringify(explain(error)));
  process.exitCode = 1;
}
