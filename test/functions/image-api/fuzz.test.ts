/** Whatever is sent: an answer in Glance's form, never a 500, and nothing of one project's for another. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';

import { image } from '../../../layers/domain/image/image.ts';
import { hostile } from '../../fakes/hostile.ts';
import { ann, bob, createFront, root, service } from './front.ts';

const { request, make } = createFront();
let id = '';
beforeAll(async () => {
  id = await make({ visibility: 'private', name: 'hers-alone' });
  await make({ visibility: 'community' });
});

const names = [
  ...Object.keys(image),
  'properties',
  'members',
  'source',
  'upload',
  'uuid',
  'revision',
  'locations',
  'constructor',
  'x',
];
const values = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(
    'public',
    'qcow2',
    'bare',
    'red',
    'blue',
    true,
    -1,
    2 ** 40,
    '\u0000',
    '\ud800',
    '__proto__',
    'x'.repeat(70_000),
    ['a', 'a'],
    ...hostile,
  ),
);
const bodies = fc.oneof(fc.dictionary(fc.constantFrom(...names), values), fc.jsonValue({ maxDepth: 4 }));
const pointers = fc.oneof(
  fc.constantFrom(...names, '__proto__', 'tags/-', 'locations/0', 'a~1b', 'a~2', '').map((name) => `/${name}`),
  fc.string(),
);
const patches = fc.oneof(
  bodies,
  fc.array(
    fc.record(
      { op: fc.constantFrom('add', 'replace', 'remove', 'move'), path: pointers, value: values },
      { requiredKeys: ['op', 'path'] },
    ),
    {
      maxLength: 5,
    },
  ),
);
const words = fc.oneof(
  fc.constantFrom('in:a,"b', 'in:', '"', 'gt:x', ':', 'eq:', 'true', '2020-01-01T00:00:00Z', 'all'),
  fc.string(),
);
const queries = fc.array(
  fc.tuple(
    fc.oneof(
      fc.constantFrom(
        ...names,
        'limit',
        'marker',
        'sort',
        'sort_key',
        'sort_dir',
        'tag',
        'member_status',
        'size_min',
        'created_at',
      ),
      fc.string(),
    ),
    words,
  ),
  { maxLength: 4 },
);
const posts = fc.constantFrom(
  'POST *',
  'POST */members',
  'PUT */members/blue',
  'POST */import',
  'POST */locations',
  'POST */upload',
  'PUT */tags/a%00b',
);
const subjects = fc.constantFrom(ann, bob, root, service);

const isOurs = ({
  status,
  text,
  headers,
}: {
  status: number;
  text: string;
  headers: Readonly<Record<string, string>>;
}) => {
  if (status >= 500) expect(text).toBe('');
  if (status >= 400) expect(headers['Content-Type']).toContain('text/html');
};

describe('the Image API', () => {
  it('answers every new image', async () => {
    const asked = fc.asyncProperty(bodies, subjects, async (body, subject) =>
      isOurs(await request('POST /v2/images', { body, subject })),
    );
    await fc.assert(asked, { numRuns: 400 });
  });

  it('answers every patch, and keeps what is not its to change', async () => {
    const asked = fc.asyncProperty(patches, async (body) => {
      isOurs(await request(`PATCH /v2/images/${id}`, { body }));
      expect((await request(`GET /v2/images/${id}`)).body).toMatchObject({
        id,
        status: 'queued',
        owner: 'red',
        size: null,
      });
    });
    await fc.assert(asked, { numRuns: 400 });
  });

  it('answers every query, and shows nobody what is another project’s', async () => {
    const asked = fc.asyncProperty(queries, async (pairs) => {
      const answer = await request(`GET /v2/images?${new URLSearchParams(pairs).toString()}`, { subject: bob });
      isOurs(answer);
      expect(answer.text).not.toContain(id);
    });
    await fc.assert(asked, { numRuns: 400 });
  });

  it('answers every other body, of whoever', async () => {
    const asked = fc.asyncProperty(posts, bodies, subjects, async (line, body, subject) =>
      isOurs(await request(line.replace('*', `/v2/images/${id}`), { body, subject })),
    );
    await fc.assert(asked, { numRuns: 600 });
  });
});
