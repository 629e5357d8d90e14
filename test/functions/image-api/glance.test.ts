/**
 * What a real Glance answered to a walk through its API, asked of ours. Recorded from Glance 33.0.0 with the file and http
 * stores, SQLite and the new default policies; times and the texts of errors are left out.
 */
import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { createFront } from './front.ts';

type Answer = {
  readonly status: number;
  readonly body?: unknown;
  readonly images?: readonly (string | null)[];
  readonly links?: object;
  readonly properties?: readonly string[];
};
type Step = {
  readonly as: string;
  readonly at: string;
  readonly body?: unknown;
  readonly type?: string;
  readonly answer: Answer;
};

const file = new URL('../../fixtures/glance/walk.json', import.meta.url);
const steps = JSON.parse(readFileSync(file, 'utf8')) as Step[];

const callers = {
  admin: (project: string) => ({ user: 'u', project, roles: 'admin', scope: 'system' }),
  member: (project: string) => ({ user: 'u', project, roles: 'member', scope: 'project' }),
  reader: (project: string) => ({ user: 'u', project, roles: 'reader', scope: 'project' }),
};

/** Where Ingot answers otherwise, and why. */
const otherwise: readonly { readonly why: string; readonly at: RegExp; answer(theirs: Answer): Answer }[] = [
  {
    why: 'Glance forgets all but the last of a parameter that comes again, so its link leads to another list.',
    at: /[?&](\w+)=[^&]*&(?:.*&)?\1=/,
    answer: (theirs) =>
      theirs.links ? { ...theirs, links: { ...theirs.links, first: expect.any(String) as string } } : theirs,
  },
  {
    why: 'What nobody is shown is in no schema.',
    at: /schemas\/image$/,
    answer: (theirs) => ({
      ...theirs,
      properties: theirs.properties!.filter((name) => !['direct_url', 'locations', 'stores'].includes(name)),
    }),
  },
];

const callerOf = (as: string) => {
  const [role = '', project = ''] = as.split(':');
  return callers[role as keyof typeof callers](project);
};

type Shown = { readonly tags?: readonly string[]; readonly [name: string]: unknown };

const comparable = (answer: Answer, at: string): Answer => {
  const known = otherwise.find((row) => row.at.test(at))?.answer(answer) ?? answer;
  const { virtual_size: _looked, ...body } = (known.body ?? {}) as Shown;
  if (!known.body) return known;
  return { ...known, body: { ...body, ...(body.tags && { tags: body.tags.toSorted() }) } };
};

/** As the walk was recorded: without times, and of lists the names only. */
const recorded = (status: number, body: Record<string, unknown> | undefined, at: string): Answer => {
  if (status >= 400 || body === undefined) return { status };
  if (at.includes('/schemas/')) return { status, properties: Object.keys(body['properties'] as object).sort() };
  // Glance looks into the data for the size that a disk made of it has, and keeps tags in no order.
  const without = ({ created_at: _created, updated_at: _updated, virtual_size: _looked, ...rest }: Shown) => ({
    ...rest,
    ...(rest.tags && { tags: rest.tags.toSorted() }),
  });
  const { images, members, ...links } = body as { images?: { name: string }[]; members?: Shown[] };
  if (images) return { status, images: images.map(({ name }) => name), links };
  return { status, body: members ? { ...links, members: members.map(without) } : without(body) };
};

describe('a walk that Glance answered', () => {
  const { request } = createFront();

  it.each(steps.map((step, at) => [at, step.as, step.at.replaceAll(/-0000-4000-8000-0{12}/g, ''), step] as const))(
    '%i: %s %s',
    async (_at, _as, _line, { as, at, body, type, answer }) => {
      const given = await request(at, {
        subject: callerOf(as),
        ...(body !== undefined && { body, headers: { 'Content-Type': type ?? 'application/json' } }),
      });
      expect([recorded(given.status, given.body, at), given.text]).toEqual([comparable(answer, at), given.text]);
    },
  );
});
