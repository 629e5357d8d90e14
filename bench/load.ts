/** A load of requests at a given concurrency over keep-alive connections, and what it measured. */
import { Agent, request } from 'node:http';

export type Figures = { requests: number; seconds: number; per_second: number; p50_ms: number; p99_ms: number };

export type Wanted = { method: string; path: string; body?: unknown };

const round = (value: number, digits = 2) => Number(value.toFixed(digits));

/** One request; resolves with the status once the whole answer was read. */
export const ask = async (base: string, agent: Agent, { method, path, body }: Wanted): Promise<number> =>
  new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = request(
      base + path,
      {
        agent,
        method,
        headers: {
          'X-OpenStack-Ironic-API-Version': '1.115',
          ...(text && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
        },
      },
      (answer) => {
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode!));
      },
    );
    sent.on('error', reject);
    sent.end(text);
  });

/**
 * Sends `next(0)`, `next(1)`, ... for `seconds`, `concurrency` at a time. Throws on any answer that is not 2xx, because
 * a figure of refused requests is no figure.
 */
export const load = async (
  base: string,
  concurrency: number,
  seconds: number,
  next: (index: number) => Wanted,
): Promise<Figures> => {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const times: number[] = [];
  const begin = performance.now();
  const end = begin + seconds * 1000;
  let index = 0;
  const worker = async () => {
    while (performance.now() < end) {
      const wanted = next(index++);
      const start = performance.now();
      const status = await ask(base, agent, wanted);
      if (status >= 300) throw new Error(`${wanted.method} ${wanted.path} was answered ${status}`);
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const took = (performance.now() - begin) / 1000;
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (share: number) => round(times[Math.min(times.length - 1, Math.floor(times.length * share))]!);
  return {
    requests: times.length,
    seconds: round(took),
    per_second: Math.round(times.length / took),
    p50_ms: at(0.5),
    p99_ms: at(0.99),
  };
};
