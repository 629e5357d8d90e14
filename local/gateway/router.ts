/** Which function answers a path, by the rows of the manifest: in order, the first that fits wins. */
import type { RouteRow } from '../../infra/manifest.ts';

export type Match = { readonly row: RouteRow; readonly params: Record<string, string> | null };

type Segment = { readonly text: string } | { readonly param: string } | { readonly rest: string };

const toSegment = (text: string): Segment => {
  const name = /^\{(.+)\}$/.exec(text)?.[1];
  if (name === undefined) return { text };
  return name.endsWith('+') ? { rest: name.slice(0, -1) } : { param: name };
};

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The parameters when `parts` fit, else undefined. */
const fit = (segments: readonly Segment[], parts: readonly string[]): Record<string, string> | undefined => {
  const params: Record<string, string> = {};
  for (const [at, segment] of segments.entries()) {
    const part = parts[at];
    if (part === undefined) return undefined;
    if ('rest' in segment) return { ...params, [segment.rest]: decode(parts.slice(at).join('/')) };
    if ('text' in segment && segment.text !== part) return undefined;
    if ('param' in segment) params[segment.param] = decode(part);
  }
  return parts.length === segments.length ? params : undefined;
};

/**
 * Compiles the rows once. `{name}` stands for one segment, `{name+}` for one or more; parameters are percent-decoded.
 * One trailing slash makes no difference. Undefined: no row fits.
 */
export const createRouter = (rows: readonly RouteRow[]): ((path: string) => Match | undefined) => {
  const compiled = rows.map((row) => ({ row, segments: row.path.split('/').slice(1).filter(Boolean).map(toSegment) }));
  return (path) => {
    const parts = path.split('/').slice(1);
    if (parts.at(-1) === '') parts.pop();
    for (const { row, segments } of compiled) {
      const params = fit(segments, parts);
      if (params) return { row, params: Object.keys(params).length > 0 ? params : null };
    }
    return undefined;
  };
};
