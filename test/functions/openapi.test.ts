/** The OpenAPI documents of the APIs for tenants, at the doors of the APIs themselves. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';

import { routes as computeRoutes } from '../../functions/compute-api/routes.ts';
import { routes as imageRoutes } from '../../functions/image-api/routes.ts';
import { routes as networkRoutes } from '../../functions/network-api/routes.ts';
import { actions } from '../../layers/domain/compute/actions.ts';
import { server } from '../../layers/domain/compute/server.ts';
import { isKnown, wireName, type Field } from '../../layers/domain/fields.ts';
import { createFront as createCompute } from './compute-api/front.ts';
import { createFront as createImage } from './image-api/front.ts';
import { createFront as createNetwork } from './network-api/front.ts';

type Schema = {
  readonly properties?: Record<string, Schema>;
  readonly anyOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly $ref?: string;
};
type Operation = {
  readonly operationId: string;
  readonly security?: readonly unknown[];
  readonly parameters: readonly { readonly name?: string; readonly in?: string }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly responses: Record<string, unknown>;
};
type Document = {
  readonly info: { readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, Schema> };
};

const compute = createCompute();
const [image, network] = [createImage(), createNetwork()];

const ofCompute = async (version: number): Promise<Document> =>
  (await compute.request('GET /v2.1/openapi.json', { version, subject: null })).body as Document;
const ofImages = async (): Promise<Document> =>
  (await image.request('GET /v2/openapi.json', { subject: null })).body as Document;
const ofNetworks = async (): Promise<Document> =>
  (await network.request('GET /v2.0/openapi.json', { subject: null })).body as Document;

/** `spelt`: how the document says which version it is of. */
const documents = [
  ...[1, 25, 26, 46, 57, 74, 90, 96].map((version) => ({
    name: `compute 2.${version}`,
    read: async () => ofCompute(version),
    rows: computeRoutes.filter((row) => isKnown(row, version)),
    prefix: 'compute',
    spelt: `2.${version}`,
  })),
  { name: 'images', read: ofImages, rows: imageRoutes, prefix: 'image', spelt: '2.17' },
  { name: 'networks', read: ofNetworks, rows: networkRoutes, prefix: 'network', spelt: '2.0' },
];

const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );

describe.each(documents)('the document of $name', ({ read, rows, prefix, spelt }) => {
  it('is valid OpenAPI 3.1, needs no rule, and points at the server that was asked', async () => {
    const document = await read();
    expect(await new Validator().validate(structuredClone(document) as never)).toEqual({ valid: true });
    expect(document.info.version).toBe(spelt);
    expect(document.servers).toEqual([{ url: `http://cloud.test/${prefix}` }]);
  });

  it('has the routes that exist there and no others', async () => {
    const described = operationsOf(await read()).map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    const there = rows.map(({ at }) => at as string).filter((at) => !at.endsWith('/openapi.json'));
    expect(described.toSorted()).toEqual(there.toSorted());
  });

  it('has an operation id of its own for each operation, and declares every parameter of its path', async () => {
    const operations = operationsOf(await read());
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
    for (const { path, operation } of operations) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(operation.parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(named);
    }
  });

  it('says that rules ask who calls, of all but the version documents', async () => {
    const open = operationsOf(await read()).filter(({ operation }) => operation.security !== undefined);
    expect(open.map(({ path }) => path.split('/').length)).not.toContain(4);
    expect(open.length).toBeLessThan(4);
  });
});

describe('the document of the Compute API', () => {
  const create = async (version: number) => {
    const { paths, components } = await ofCompute(version);
    const { schema } = paths['/v2.1/servers']!['post']!.requestBody!.content['application/json'];
    expect(schema).toEqual({
      type: 'object',
      required: ['server'],
      properties: { server: { $ref: '#/components/schemas/ServerCreate' } },
    });
    return components.schemas['ServerCreate']!;
  };

  it('has the fields of a server by the names that they have on the wire, as each version has them', async () => {
    const fieldsAt = async (version: number) =>
      Object.keys((await ofCompute(version)).components.schemas['Server']!.properties!);
    const namesAt = (version: number) =>
      Object.entries<Field>(server)
        .filter(([, row]) => isKnown(row, version))
        .map(([name, row]) => wireName(name, row));
    expect(await fieldsAt(18)).not.toContain('description');
    expect(await fieldsAt(19)).toContain('description');
    expect(await fieldsAt(96)).toEqual(expect.arrayContaining(namesAt(96)));
    expect(await fieldsAt(96)).toContain('OS-EXT-SRV-ATTR:hypervisor_hostname');
  });

  it('tells what a new server takes, as long as it takes it', async () => {
    const namesAt = async (version: number) => Object.keys((await create(version)).properties!);
    expect(await namesAt(56)).toContain('personality');
    expect(await namesAt(57)).not.toContain('personality');
    expect(await namesAt(51)).not.toContain('tags');
    expect(await namesAt(52)).toContain('tags');
    expect((await create(96)).required).toEqual(['name', 'flavorRef']);
  });

  it('has each action of a server that a body asks for', async () => {
    const { paths } = await ofCompute(96);
    const { schema } = paths['/v2.1/servers/{server_id}/action']!['post']!.requestBody!.content['application/json'];
    const told = schema.anyOf!.flatMap(({ properties = {} }) => Object.keys(properties));
    const there = Object.values(actions).flatMap((row) => (row.body !== undefined && isKnown(row, 96) ? row.body : []));
    expect(told).toEqual(there);
    expect(told).toContain('rebuild');
  });

  it('says of what is not possible that nothing but its refusal is answered', async () => {
    const { paths } = await ofCompute(96);
    const { responses } = paths['/v2.1/servers/{server_id}/diagnostics']!['get']!;
    expect(Object.keys(responses)).toContain('501');
    expect(Object.keys(responses)).not.toContain('200');
  });
});

it('tells that properties stand among the fields of an image, and bodies of networks under their names', async () => {
  const { schemas } = (await ofImages()).components;
  expect(schemas['Image']).toMatchObject({ additionalProperties: { type: 'string' } });
  const { paths, components } = await ofNetworks();
  expect(paths['/v2.0/networks/{id}']!['put']!.requestBody!.content['application/json'].schema).toMatchObject({
    properties: { network: { $ref: '#/components/schemas/NetworkUpdate' } },
  });
  expect(Object.keys(components.schemas['NetworkUpdate']!.properties!)).not.toContain('project_id');
});
