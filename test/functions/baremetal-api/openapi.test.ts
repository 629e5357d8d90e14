import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';

import { routes } from '../../../functions/baremetal-api/routes.ts';
import { routes as ramdiskRoutes } from '../../../functions/ramdisk-api/routes.ts';
import { node } from '../../../layers/domain/node.ts';
import { createFront } from './front.ts';

type Operation = {
  operationId: string;
  parameters: { name?: string; in?: string; $ref?: string }[];
  requestBody?: { content: { 'application/json': { schema: { $ref?: string; properties?: object } } } };
};
type Document = {
  info: { version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { properties: Record<string, unknown> }> };
};

const { request } = createFront();
const at = async (version: string | null): Promise<Document> =>
  (await request('GET /v1/openapi.json', { version, subject: null })).body as Document;

const versions = [1, 8, 31, 51, 52, 92, 112, 115];

describe.each(versions)('the document of 1.%i', (version) => {
  it('is valid OpenAPI 3.1, also as the client reads it', async () => {
    const document = await at(`1.${version}`);
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
    expect(document.info.version).toBe(`1.${version}`);
  });

  it('has the routes that exist there and no others', async () => {
    const { paths } = await at(`1.${version}`);
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const there = [...routes, ...ramdiskRoutes].filter(({ since = 1 }) => since <= version).map(({ at: row }) => row);
    expect(described.toSorted()).toEqual(there.filter((row) => row !== 'GET /v1/openapi.json').toSorted());
  });
});

describe('the document', () => {
  it('is that of 1.1 without a version, as everything is', async () => {
    expect((await at(null)).info.version).toBe('1.1');
  });

  it('names the fields of a microversion', async () => {
    const fieldsAt = async (version: string) => Object.keys((await at(version)).components.schemas['Node']!.properties);
    expect(await fieldsAt('1.49')).not.toContain('owner');
    expect(await fieldsAt('1.50')).toContain('owner');
    expect(await fieldsAt('1.115')).toEqual(Object.keys(node));
  });

  it('tells what POST takes, and not what only Ingot sets', async () => {
    const { schemas } = (await at('1.115')).components;
    expect(Object.keys(schemas['NodeCreate']!.properties)).toContain('driver_info');
    expect(Object.keys(schemas['NodeCreate']!.properties)).not.toContain('provision_state');
    const { paths } = await at('1.115');
    expect(paths['/v1/nodes']!['post']!.requestBody!.content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/NodeCreate',
    });
  });

  it('has an operation id of its own for each operation', async () => {
    const { paths } = await at('1.115');
    const ids = Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('declares every parameter of a path', async () => {
    for (const [path, item] of Object.entries((await at('1.115')).paths)) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const { parameters } of Object.values(item)) {
        expect(parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(named);
      }
    }
  });

  it('is at its path at every version, in both headers, though .json may be cut off names below 1.91', async () => {
    for (const version of ['1.1', '1.90', '1.91']) expect((await at(version)).info.version).toBe(version);
    expect((await request('GET /openapi.json', { version: '1.40' })).body.info.version).toBe('1.40');
    const headers = { 'OpenStack-API-Version': 'baremetal 1.40' };
    expect((await request('GET /v1/openapi.json', { version: null, headers })).body.info.version).toBe('1.40');
  });

  it('describes what agents ask, though another function answers, with the fields that a version has', async () => {
    const beatAt = async (version: string) => (await at(version)).paths['/v1/heartbeat/{node_ident}']!['post']!;
    const fieldsAt = async (version: string) =>
      Object.keys((await beatAt(version)).requestBody!.content['application/json'].schema.properties!);
    expect(await fieldsAt('1.62')).toEqual(['callback_url', 'agent_version', 'agent_token']);
    expect(await fieldsAt('1.115')).toContain('agent_status_message');
    expect(await beatAt('1.115')).toMatchObject({ security: [], 'x-policy': 'agent_networks' });
  });

  it('points at the server that was asked', async () => {
    expect((await at('1.115')).servers).toEqual([{ url: 'http://metal.test' }]);
  });
});
