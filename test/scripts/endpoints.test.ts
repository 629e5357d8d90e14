import { describe, expect, it } from 'vitest';

import { endpoints } from '../../scripts/endpoints.ts';

const row = (method: string, path: string) =>
  endpoints()
    .split('\n')
    .find((line) => line.startsWith(`| ${method} | \`${path}\` |`));

describe('the table of endpoints', () => {
  it('has what is here, whatever a parameter is called', () => {
    expect(row('GET, PATCH, DELETE', '/v1/nodes/{ident}')).toMatch(/\| 1\.1 \| yes \|$/);
    expect(row('GET', '/v1/lookup')).toMatch(/\| 1\.22 \| yes \|$/);
  });

  it('has all that Ironic has', () => {
    expect(endpoints()).not.toMatch(/\| no: 40\d/);
    const [, there, all] = /^(\d+) of Ironic's (\d+) endpoints/.exec(endpoints())!;
    expect(there).toBe(all);
  });

  it('says which are additions of ours, and there are no others', () => {
    const additions = endpoints()
      .split('\n')
      .filter((line) => line.includes('ours, from'))
      .map((line) => /`([^`]+)`/.exec(line)?.[1] ?? '');
    expect(additions.toSorted()).toEqual([
      '/v1/imports',
      '/v1/nodes/{ident}/configdrive',
      '/v1/nodes/{ident}/conversion',
      '/v1/nodes/{ident}/guest-metadata',
      '/v1/openapi.json',
      '/v1/takeovers',
      '/v1/takeovers',
    ]);
  });
});
