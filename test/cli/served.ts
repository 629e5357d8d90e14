/** Front doors at ports of the loopback interface, and the command that an operator starts. */
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const root = new URL('../..', import.meta.url).pathname;

/** What is started as `npx ingot`. */
export const program = `${root}cli/ingot.js`;

export type Ended = { readonly code: number; readonly out: string; readonly err: string };

/** `npx ingot` with these arguments, as a process. */
export const ingot = async (args: readonly string[], env: Record<string, string> = {}, cwd = root): Promise<Ended> =>
  new Promise((resolve) => {
    const all = [program, ...args];
    execFile(process.execPath, all, { cwd, env: { ...process.env, ...env } }, (error, out, err) =>
      resolve({ code: (error?.code as number | undefined) ?? 0, out, err }),
    );
  });

/** A request that arrived; `headers` with names in lower case. */
export type Arrived = {
  readonly line: string;
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
};

type Answer = (arrived: Arrived) => Promise<{ readonly status: number; readonly body: unknown }>;

/** Serves them over HTTP until it is stopped. */
export const served = async (answer: Answer): Promise<{ readonly url: string; stop(): void }> => {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString() || undefined;
      const headers = request.headers as Record<string, string>;
      void answer({ line: `${request.method} ${request.url}`, body, headers }).then(({ status, body: told }) =>
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(told)),
      );
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stop: () => void server.close() };
};
