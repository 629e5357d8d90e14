/** Who may do what with whose image: the matrix of Glance's new default policies, but that deactivating is for administrators. */
import { describe, expect, it } from 'vitest';

import { createFront, root, service, tenant } from './front.ts';

const callers = {
  admin: root,
  member: tenant('ann', 'red'),
  reader: tenant('amy', 'red', 'reader'),
  'project admin': tenant('abe', 'red', 'admin'),
  offered: tenant('bob', 'blue'),
  'offered reader': tenant('bea', 'blue', 'reader'),
  stranger: tenant('cat', 'green'),
  service,
} as const;
type Who = keyof typeof callers;

/** `+`: done, `-`: refused (403), `.`: the image is not there (404). */
const sheet = (visibility: string, text: string): [string, string, Who, string][] =>
  text
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [what = '', ...marks] = line.trim().split(/\s+/);
      return Object.keys(callers).map((who, at): [string, string, Who, string] => [
        visibility,
        what,
        who as Who,
        marks[at]!,
      ]);
    });

//                admin member reader padmin offered oreader stranger service
const matrix = [
  ...sheet(
    'private',
    `
    show             +  +  +  +  .  .  .  +
    update           +  +  -  +  .  .  .  -
    tag              +  +  -  +  .  .  .  -
    publicize        +  -  -  -  .  .  .  -
    upload           +  +  -  +  .  .  .  -
    link             +  +  -  +  .  .  .  -
    import           +  +  -  +  .  .  .  -
    locate           +  +  -  +  .  .  .  +
    locations        +  -  -  -  .  .  .  +
    download         +  +  -  +  .  .  .  +
    deactivate       +  -  -  -  .  .  .  -
    delete           +  +  -  +  .  .  .  -
  `,
  ),
  ...sheet(
    'shared',
    `
    show             +  +  +  +  +  +  .  +
    update           +  +  -  +  -  -  .  -
    upload           +  +  -  +  -  -  .  -
    download         +  +  -  +  +  -  .  +
    locations        +  -  -  -  -  -  .  +
    members          +  +  +  +  +  +  .  +
    offer            +  +  -  +  -  -  .  -
    accept           +  -  -  -  +  -  .  -
    withdraw         +  +  -  +  -  -  .  -
    delete           +  +  -  +  -  -  .  -
  `,
  ),
  ...sheet(
    'community',
    `
    show             +  +  +  +  +  +  +  +
    update           +  +  -  +  -  -  -  -
    download         +  +  -  +  +  -  +  +
    members          -  -  -  -  -  -  -  -
    delete           +  +  -  +  -  -  -  -
  `,
  ),
  ...sheet(
    'public',
    `
    show             +  +  +  +  +  +  +  +
    update           +  +  -  +  -  -  -  -
    download         +  +  -  +  +  -  +  +
    delete           +  +  -  +  -  -  -  -
  `,
  ),
];

const patch = (path: string, value: unknown) => ({ body: [{ op: 'replace', path, value }] });
const location = {
  url: 'https://images.example.org/x',
  validation_data: { os_hash_algo: 'sha256', os_hash_value: 'a'.repeat(64) },
};

/** What is asked, and of which image. */
const asking: Readonly<Record<string, readonly [line: string, more?: object]>> = {
  show: ['GET *'],
  update: ['PATCH *', patch('/name', 'other')],
  tag: ['PUT */tags/x'],
  publicize: ['PATCH *', patch('/visibility', 'public')],
  upload: ['PUT */file', { body: 'data', headers: { 'Content-Type': 'application/octet-stream' } }],
  link: ['POST */upload', { body: { os_hash_value: 'a'.repeat(64) } }],
  import: ['POST */import', { body: { method: { name: 'web-download', uri: location.url } } }],
  locate: ['POST */locations', { body: location }],
  locations: ['GET */locations'],
  download: ['GET */file'],
  deactivate: ['POST */actions/deactivate'],
  delete: ['DELETE *'],
  members: ['GET */members'],
  offer: ['POST */members', { body: { member: 'green' } }],
  accept: ['PUT */members/blue', { body: { status: 'accepted' } }],
  withdraw: ['DELETE */members/blue'],
};

const marks = (status: number): string =>
  status < 400 ? '+' : status === 404 ? '.' : status === 403 ? '-' : String(status);

describe('an image of project red', () => {
  it.each(matrix)('that is %s: %s by %s is %s', async (visibility, what, who, mark) => {
    const { request, make } = createFront();
    const id = await make({ image_checksum: 'a'.repeat(64) });
    await request(`POST /v2/images/${id}/members`, { body: { member: 'blue' } });
    if (what === 'deactivate') await request(`POST /v2/images/${id}/locations`, { body: location });
    await request(`PATCH /v2/images/${id}`, { ...patch('/visibility', visibility), subject: root });
    const [line, more] = asking[what]!;
    const given = await request(line.replace('*', `/v2/images/${id}`), { ...more, subject: callers[who] });
    // The hash of the upload is not the one that the image says.
    const status = what === 'upload' && given.status === 400 ? 204 : given.status;
    expect([marks(status), given.text]).toEqual([mark, given.text]);
  });

  it('is told of to nobody who does not say who he is', async () => {
    const { request, make } = createFront();
    const id = await make({ visibility: 'community' });
    for (const [line, more] of Object.values(asking)) {
      const { status } = await request(line.replace('*', `/v2/images/${id}`), { ...more, subject: null });
      expect([line, status]).toEqual([line, 401]);
    }
    expect((await request('GET /v2/images', { subject: null })).status).toBe(401);
    expect((await request('POST /v2/images', { subject: null, body: {} })).status).toBe(401);
  });

  it('is missing in the same words for who may not see it as for everybody', async () => {
    const { request, make } = createFront();
    const id = await make({ visibility: 'private' });
    const other = id.replace(/^./, (first) => (first === 'f' ? 'e' : 'f'));
    const said = async (what: string) => (await request(`GET /v2/images/${what}`, { subject: callers.stranger })).text;
    expect((await said(id)).replaceAll(id, '*')).toBe((await said(other)).replaceAll(other, '*'));
  });
});
