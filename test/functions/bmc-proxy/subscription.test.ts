import { expect, it } from 'vitest';

import type { Seen } from '../../fakes/bmc.ts';
import { enrolWithParts } from './parts.ts';

const service = '/redfish/v1/EventService';
const all = `${service}/Subscriptions`;
const wish = {
  Destination: 'https://events.example.org/hook',
  Context: 'metal3',
  HttpHeaders: [{ Authorization: 'Bearer s3cr3t-of-the-hook' }],
};

/** A BMC that keeps what it is sent; `shown` changes how. */
const enrolWithEvents = async (shown: (body: Seen['body']) => object = (body) => body) => {
  const machine = await enrolWithParts();
  const { bmc, resources } = machine;
  Object.assign(resources['/redfish/v1/']!, { EventService: { '@odata.id': service } });
  resources[service] = { Subscriptions: { '@odata.id': all } };
  const list = { Members: [] as { '@odata.id': string }[] };
  resources[all] = list;
  bmc.handlers.push(({ method, path, body }) => {
    if (method === 'POST' && path === all) {
      const made = `${all}/${list.Members.length + 1}`;
      list.Members.push({ '@odata.id': made });
      resources[made] = { Id: made.split('/').at(-1)!, ...shown(body), HttpHeaders: null };
      return { status: 201 };
    }
    if (method !== 'DELETE' || !path.startsWith(`${all}/`)) return undefined;
    list.Members = list.Members.filter((link) => link['@odata.id'] !== path);
    return { status: 204 };
  });
  const sent = () => bmc.requests.filter(({ method, path }) => method !== 'GET' && path.startsWith(service));
  return { ...machine, sent };
};

it('subscribes, lists and ends it, each once', async () => {
  const { ask, sent } = await enrolWithEvents();
  const made = { Id: '1', path: `${all}/1`, Destination: wish.Destination, Context: 'metal3', EventTypes: ['Alert'] };
  for (const _ of [1, 2]) {
    expect(await ask('subscription.create', wish)).toMatchObject({ status: 'done', observed: { subscription: made } });
  }
  expect(await ask('subscription.list', {})).toMatchObject({ observed: { subscriptions: [made] } });
  expect(sent().map(({ body }) => body)).toEqual([{ ...wish, Protocol: 'Redfish', EventTypes: ['Alert'] }]);
  expect(await ask('subscription.delete', { id: '1' }, { op_id: 'end' })).toMatchObject({
    observed: { changed: true },
  });
  const again = await ask('subscription.delete', { id: '1' }, { op_id: 'end again' });
  expect(again).toMatchObject({ observed: { changed: false } });
  expect(await ask('subscription.list', {})).toMatchObject({ observed: { subscriptions: [] } });
});

it('lists what others subscribed without passwords, and no more of it than people read', async () => {
  const { ask } = await enrolWithEvents(() => ({
    Destination: 'https://bob:MARKER-pass@events.example.org/hook?token=MARKER-token',
    Context: 'x'.repeat(500_000),
  }));
  await ask('subscription.create', wish).catch(() => undefined);
  const reply = await ask('subscription.list', {});
  expect(JSON.stringify(reply)).not.toContain('MARKER');
  expect(reply).toMatchObject({
    observed: { subscriptions: [{ Destination: 'https://******@events.example.org/hook?******' }] },
  });
  expect(JSON.stringify(reply).length).toBeLessThan(6_000);
});

it('subscribes another one of the same address, which may send other headers', async () => {
  const { ask } = await enrolWithEvents();
  await ask('subscription.create', wish);
  const other = await ask('subscription.create', { ...wish, HttpHeaders: [] }, { op_id: 'other' });
  expect(other).toMatchObject({ observed: { subscription: { Id: '2' } } });
});

it('leaves EventTypes out for a BMC that knows them no more', async () => {
  const { ask, bmc, sent } = await enrolWithEvents();
  bmc.answer(`POST ${all}`, { status: 400, body: { error: { message: 'EventTypes is unknown.' } } });
  expect(await ask('subscription.create', wish)).toMatchObject({ status: 'done' });
  expect(sent().map(({ body }) => 'EventTypes' in body)).toEqual([true, false]);
});

it('knows its own by another spelling of the URL, and never sends it twice', async () => {
  const { ask, sent } = await enrolWithEvents((body) => ({ ...body, Destination: 'https://EVENTS.example.org/hook' }));
  expect(await ask('subscription.create', wish)).toMatchObject({ status: 'done' });
  const blind = await enrolWithEvents(() => ({ Destination: 'https://elsewhere.example.org' }));
  for (const _ of [1, 2]) expect(await blind.ask('subscription.create', wish)).toMatchObject({ status: 'pending' });
  expect([sent().length, blind.sent().length]).toEqual([1, 1]);
});

it('keeps the headers out of what the BMC is quoted with', async () => {
  const { ask, bmc } = await enrolWithEvents();
  const refusal = { status: 400, body: { error: { message: 'Bad header Bearer s3cr3t-of-the-hook.' } } };
  bmc.answer(`POST ${all}`, refusal, refusal);
  const failed = ask('subscription.create', wish);
  await expect(failed).rejects.toMatchObject({ name: 'BmcRejected' });
  await expect(failed).rejects.not.toThrow('s3cr3t-of-the-hook');
});

it('says so where there is no event service', async () => {
  const { ask } = await enrolWithParts();
  await expect(ask('subscription.create', wish)).rejects.toThrow('The BMC offers no event service.');
  await expect(ask('subscription.list', {})).rejects.toMatchObject({ name: 'BmcUnsupported' });
});
