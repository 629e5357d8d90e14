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

  it('says what a request gets that is not', () => {
    expect(row('POST', '/v1/events')).toMatch(/\| no: 404 \|$/);
  });

  it('has every route of ours as one of Ironic', () => {
    expect(endpoints()).not.toContain('ours, from');
  });
});
