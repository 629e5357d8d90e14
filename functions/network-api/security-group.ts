/**
 * Security groups, as far as there are any: each project has one of the name default, which clients look for. It has no
 * rules, for nothing here filters packets, and says so; none can be made or changed.
 */
import { createHash } from 'node:crypto';

import { NotFound } from '../../layers/domain/fault.ts';
import type { Subject } from '../../layers/domain/policy.ts';
import { type Call, route, type Route } from './route.ts';

/** The UUID of the group of a project: the same each time, and of no other project. */
export const groupOf = (project: string): string => {
  const hex = createHash('sha256').update(`security group default of ${project}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
};

const group = (project: string) => ({
  id: groupOf(project),
  name: 'default',
  description: 'Not enforced: nothing here filters packets.',
  project_id: project,
  tenant_id: project,
  stateful: true,
  shared: false,
  security_group_rules: [],
  tags: [],
  revision_number: 1,
});

type Group = ReturnType<typeof group>;

/** That of the caller. Administrators see that of a project that they name. */
const seenBy = ({ project }: Subject, asked: readonly string[] = []): Group[] =>
  (asked.length > 0 ? asked : [project ?? '']).map(group);

const filters = [
  'id',
  'name',
  'description',
  'project_id',
  'tenant_id',
  'stateful',
  'shared',
  'revision_number',
] as const;
const others = [
  'fields',
  'limit',
  'marker',
  'page_reverse',
  'sort_key',
  'sort_dir',
  'tags',
  'tags-any',
  'not-tags',
  'not-tags-any',
];
const queryNames = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, {}]));

const chosen = ({ query }: Call, one: object): object => {
  const names = query['fields']?.flatMap((value) => value.split(',')) ?? [];
  return names.length === 0 ? one : Object.fromEntries(Object.entries(one).filter(([name]) => names.includes(name)));
};

const isAsked = ({ query }: Call, one: Group): boolean =>
  filters.every(
    (name) => !query[name] || query[name].some((value) => value.toLowerCase() === String(one[name]).toLowerCase()),
  );

/** Only administrators are told of other projects. */
const projectsAsked = ({ query, subject }: Call): readonly string[] | undefined => {
  const asked = query['project_id'] ?? query['tenant_id'];
  return subject.scope === 'system' || subject.roles.includes('admin') ? asked : undefined;
};

export const securityGroupRoutes: readonly Route[] = [
  route({
    at: 'GET /v2.0/security-groups',
    policy: 'get_security_group',
    query: queryNames([...filters, ...others]),
    handle: async (_deps, call) => ({
      body: {
        security_groups: seenBy(call.subject, projectsAsked(call))
          .filter((one) => isAsked(call, one))
          .map((one) => chosen(call, one)),
      },
    }),
  }),
  route({
    at: 'GET /v2.0/security-groups/{id}',
    policy: 'get_security_group',
    query: queryNames(['fields']),
    handle: async (_deps, call) => {
      const [own] = seenBy(call.subject);
      const id = call.params['id']!;
      if (own!.id !== id.toLowerCase()) throw NotFound(`Security group ${id} does not exist.`);
      return { body: { security_group: chosen(call, own!) } };
    },
  }),
  route({
    at: 'GET /v2.0/security-group-rules',
    policy: 'get_security_group',
    query: queryNames([
      ...others,
      'id',
      'project_id',
      'tenant_id',
      'security_group_id',
      'direction',
      'ethertype',
      'protocol',
    ]),
    handle: async () => ({ body: { security_group_rules: [] } }),
  }),
];
