/** Whether what an API answers is what its OpenAPI document says: each success in a test is looked up there. */
import * as z from 'zod';

import type { Book } from '../../layers/http/openapi/book.ts';
import { describe } from '../../layers/http/openapi/document.ts';
import type { Row } from '../../layers/http/openapi/operation.ts';
import { createTree, partsOf } from '../../layers/http/tree.ts';

type Schema = Parameters<typeof z.fromJSONSchema>[0];
type Response = { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> };
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Record<string, Response> }>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
};

type Answer = { readonly status: number; readonly body?: unknown };

/** The value with what stands for a schema of the document as that schema. */
const resolved = (value: unknown, schemas: Readonly<Record<string, unknown>>): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => resolved(one, schemas));
  const { $ref: name } = value as { $ref?: string };
  if (name !== undefined) return resolved(schemas[name.split('/').at(-1)!], schemas);
  // zod reads patterns without the flag that classes of characters need.
  const read = Object.entries(value).filter(
    ([key, one]) => key !== 'pattern' || !String(one).includes(String.raw`\p{`),
  );
  return Object.fromEntries(read.map(([key, one]) => [key, resolved(one, schemas)]));
};

/** Makes the function that throws where an answer to a request of a version is not what the document says. */
export const describedBy = (book: Book, rows: readonly Row[]) => {
  const find = createTree(rows);
  const documents = new Map<number, Document>();
  const schemas = new Map<Response, z.ZodType>();

  const documentAt = (version: number): Document => {
    const found = documents.get(version) ?? (describe(book, rows, version, 'http://cloud.test') as Document);
    documents.set(version, found);
    return found;
  };

  const schemaOf = (response: Response, { components }: Document): z.ZodType => {
    const { schema } = response.content!['application/json']!;
    const found = schemas.get(response) ?? z.fromJSONSchema(resolved(schema, components.schemas) as Schema);
    schemas.set(response, found);
    return found;
  };

  /** `line` as a test asks: a method and a path with its query. */
  return (line: string, version: number, { status, body }: Answer): void => {
    const { method, path: target } = partsOf(line);
    // An identifier such as `..` leads elsewhere, as with every client.
    const segments = new URL(target, 'http://cloud.test').pathname.split('/').filter(Boolean);
    const row = find(segments)?.leaves.get(method)?.row;
    if (status >= 300 || row === undefined) return;
    const document = documentAt(version);
    const operation = document.paths[partsOf(row.at).path]![method.toLowerCase()]!;
    const response = operation.responses[String(status)];
    if (!response || (body !== undefined && !response.content)) {
      const told = body === undefined ? 'without a body' : 'with a body';
      throw new Error(`${line} answered ${status} ${told}, of which the document at ${version} says nothing.`);
    }
    if (body === undefined) return;
    const { error } = schemaOf(response, document).safeParse(body);
    if (!error) return;
    throw new Error(`${line} at ${version} answers otherwise than the document says. ${z.prettifyError(error)}`);
  };
};
