/** Two APIs that have nothing to do with bare metal, in protocols of their own: what the engine is tried on. */
import * as z from 'zod';

import { Forbidden, Invalid, NotAcceptable, NotFound } from '../../../layers/domain/fault.ts';
import type { Owned, Subject } from '../../../layers/domain/policy.ts';
import { byRules, nobody } from '../../../layers/http/admission.ts';
import { type Serve, serve } from '../../../layers/http/pipeline.ts';
import { json, type Protocol } from '../../../layers/http/protocol.ts';
import type { Route } from '../../../layers/http/route.ts';
import type { Clock, Log } from '../../../layers/platform/platform.ts';

export type Deps = { readonly log: Log; readonly clock: Clock; readonly lamps: Map<string, Lamp> };
type Lamp = { readonly id: string; readonly owner: string; readonly on: boolean };
type Rule = 'lamps:get' | 'lamps:get_all' | 'lamps:switch';

/** Counts 2.1 to 2.9, names each error by its status, and takes the project as a part of the path. */
export const lampProtocol: Protocol = {
  versions: {
    standard: 1,
    negotiate: ({ 'lamp-version': asked = '2.1' }) => {
      const minor = Number(/^2\.(\d)$/.exec(asked)?.[1] ?? 0);
      if (minor === 0) throw NotAcceptable(`Version ${asked} is not supported.`);
      return minor;
    },
    spell: (version) => `2.${version}`,
    refuseNewer: (table, version, names) => {
      for (const name of names) if ((table[name]?.since ?? 1) > version) throw Invalid(`${name} is too new.`);
    },
  },
  headers: (about) =>
    about ? { 'Lamp-Version': `2.${about.version}`, Vary: 'Lamp-Version' } : { Vary: 'Lamp-Version' },
  read: ({ segments: [version = '', ...rest] }) => ({
    segments: [version, ...(/^p\d+$/.test(rest[0] ?? '') ? rest.slice(1) : rest)],
  }),
  refuse: ({ code, message, by }) => json({ [code === 404 ? 'lampNotFound' : 'lampFault']: { code, message, by } }),
  takes: ['application/json'],
};

const personas: Readonly<Record<Rule, (subject: Subject, owned: Owned) => boolean>> = {
  'lamps:get': ({ project }, { owner }) => project === owner,
  'lamps:get_all': ({ roles }) => roles.includes('admin'),
  'lamps:switch': ({ project, roles }, { owner }) => project === owner && roles.includes('member'),
};
const allows = (rule: Rule, subject: Subject, owned: Owned = {}) => personas[rule](subject, owned);

const find: Route<Deps, Rule, unknown, Lamp>['find'] = async ({ lamps }, { lamp = '' }) => {
  const found = lamps.get(lamp);
  if (!found) throw NotFound(`Lamp ${lamp} could not be found.`);
  return found;
};

const row = <Body = undefined, Target = undefined>(made: Route<Deps, Rule, Body, Target>): Route<Deps, Rule> => made;

const lampRoutes: readonly Route<Deps, Rule>[] = [
  row({ at: 'GET /v2/bulbs', since: 2, until: 4, policy: 'public', handle: async () => ({ body: [] }) }),
  row({ at: 'GET /v2', policy: 'public', handle: async (_deps, { base }) => ({ body: { self: `${base}/v2` } }) }),
  row({
    at: 'GET /v2/lamps',
    policy: 'lamps:get_all',
    own: 'lamps:get',
    query: { on: {}, colour: { since: 5 } },
    handle: async ({ lamps }, { only, query }) => ({
      body: [...lamps.values()].filter(({ owner, on }) => (only ?? owner) === owner && (!query['on'] || on)),
    }),
  }),
  row({
    at: 'POST /v2/lamps/{lamp}/switch',
    since: 3,
    policy: 'lamps:switch',
    status: 202,
    body: z.strictObject({ on: z.boolean(), colour: z.string().optional() }),
    keys: { colour: { since: 5 } },
    find,
    handle: async ({ lamps }, { body, target }) => {
      lamps.set(target.id, { ...target, on: body.on });
      return { location: `/v2/lamps/${target.id}`, headers: { 'Retry-After': '1' } };
    },
  }),
];

/** Has neither versions nor callers, and speaks text; files are uploaded as bytes. */
export const textProtocol: Protocol = {
  headers: () => ({}),
  refuse: ({ code, message }) => ({ type: 'text/plain', text: `${code} ${message}\n` }),
  answers: ['text/plain'],
  takes: ['application/octet-stream'],
};

const textRoutes: readonly Route<Deps, never>[] = [
  {
    at: 'GET /latest/{name}',
    policy: 'public',
    handle: async (_deps, { params, source }) => ({
      content: { type: 'text/plain', text: `${params['name']} of ${source}` },
    }),
  },
  {
    at: 'PUT /latest/file',
    policy: 'public',
    raw: true,
    handle: async ({ log }, { raw }) => {
      log.info('A file came.', { bytes: [...raw.bytes(4)] });
      return {};
    },
  },
];

/** Both APIs on the same lamps. */
export const createLamps = (deps: Deps): { readonly lamps: Serve; readonly text: Serve } => ({
  lamps: serve<Deps, Rule>(
    {
      protocol: lampProtocol,
      routes: lampRoutes,
      enter: ({ user }) => {
        if (user === 'moth') throw Forbidden('Not for moths.');
      },
      admit: byRules({
        allows,
        authorize: (rule, subject, owned, name) => {
          if (owned && !allows('lamps:get', subject, owned)) throw NotFound(`Lamp ${name} could not be found.`);
          if (!allows(rule, subject, owned)) throw Forbidden(`Not by ${rule}.`);
        },
      }),
      publicEndpoint: '',
    },
    deps,
  ),
  text: serve<Deps, never>(
    { protocol: textProtocol, routes: textRoutes, admit: () => ({ subject: nobody, only: null }), publicEndpoint: '' },
    deps,
  ),
});
