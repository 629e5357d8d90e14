/** The latest requests from and to machines. Paths are kept without their query, so no token or signature is in it. */

export type LogEntry = {
  readonly at: number;
  readonly machine: string;
  /** Who spoke: `bmc` and `agent` were asked, `ramdisk` asked the API, `media` and `image` fetched something. */
  readonly side: 'bmc' | 'agent' | 'ramdisk' | 'media' | 'image';
  readonly method: string;
  readonly path: string;
  /** 0: no answer. */
  readonly status: number;
};

export type RequestLog = {
  add(entry: LogEntry): void;
  list(machine?: string): LogEntry[];
  /** How many there were since the start, by side. */
  counts(): Readonly<Record<string, number>>;
};

/** Keeps the last `limit` requests. */
export const createRequestLog = (limit = 10_000): RequestLog => {
  const ring: LogEntry[] = [];
  const counts: Record<string, number> = {};
  let next = 0;
  return {
    add: (entry) => {
      ring[next] = entry;
      counts[entry.side] = (counts[entry.side] ?? 0) + 1;
      next = (next + 1) % limit;
    },
    list: (machine) =>
      [...ring.slice(next), ...ring.slice(0, next)].filter((entry) => !machine || entry.machine === machine),
    counts: () => ({ ...counts }),
  };
};

/** A URL as it may be written down: without user, query and fragment. */
export const withoutSecrets = (url: string): string => {
  if (!URL.canParse(url)) return 'not a URL';
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
};
