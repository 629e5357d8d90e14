/** The EventService: it keeps subscriptions; the only event that it ever sends is the one that somebody asks for as a test. */
import { discard } from '../fetch.ts';
import type { Destination } from '../machine.ts';
import { collection, done, healthy, link, refusal, type Act, type Call, type View } from './call.ts';

const at = '/EventService/Subscriptions';

export const eventService: View = ({ machine }) => ({
  '@odata.type': '#EventService.v1_10_0.EventService',
  Id: 'EventService',
  Name: 'Event Service',
  ServiceEnabled: true,
  Status: healthy,
  DeliveryRetryAttempts: 0,
  DeliveryRetryIntervalSeconds: 0,
  EventTypesForSubscription: ['Alert', 'StatusChange'],
  Subscriptions: link(machine, at),
  Actions: {
    '#EventService.SubmitTestEvent': {
      target: link(machine, '/EventService/Actions/EventService.SubmitTestEvent')['@odata.id'],
    },
  },
});

export const subscriptions: View = ({ machine }) =>
  collection(
    machine,
    'EventDestinationCollection',
    'Event Subscriptions',
    (machine.subscriptions ?? []).map(({ id }) => `${at}/${id}`),
  );

const find = ({ machine, params }: Call): Destination => {
  const found = (machine.subscriptions ?? []).find(({ id }) => id === params['subscription']);
  if (found) return found;
  throw refusal('Base.1.16.ResourceMissingAtURI');
};

/** Headers are write-only (DSP0268, EventDestination). */
export const subscription: View = (call) => {
  const { id, destination, context, protocol, event_types } = find(call);
  return {
    '@odata.type': '#EventDestination.v1_14_0.EventDestination',
    Id: id,
    Name: 'Event Subscription',
    Destination: destination,
    Context: context,
    Protocol: protocol,
    EventTypes: event_types,
    HttpHeaders: null,
  };
};

const textOf = (body: Call['body'], name: string): string => {
  const value = body[name];
  if (typeof value === 'string') return value;
  throw refusal('Base.1.16.PropertyMissing', name);
};

export const subscribe: Act = ({ world, machine, body }) => {
  const { EventTypes: types = ['Alert'] } = body;
  if (!Array.isArray(types) || types.some((type) => type !== 'Alert' && type !== 'StatusChange')) {
    throw refusal('Base.1.16.PropertyValueNotInList', 'EventTypes');
  }
  const before = machine.subscriptions ?? [];
  const id = String(1 + Math.max(0, ...before.map((one) => Number(one.id))));
  const made = {
    id,
    destination: textOf(body, 'Destination'),
    context: textOf({ Context: '', ...body }, 'Context'),
    protocol: textOf(body, 'Protocol'),
    event_types: types as string[],
  };
  machine.subscriptions = [...before, made];
  world.changed(machine);
  const { '@odata.id': location } = link(machine, `${at}/${id}`);
  return { status: 201, headers: { 'odata-version': '4.0', location } };
};

export const unsubscribe: Act = (call) => {
  const { id } = find(call);
  call.machine.subscriptions = call.machine.subscriptions!.filter((one) => one.id !== id);
  call.world.changed(call.machine);
  return done;
};

/** Milliseconds that whoever is told may take. */
const tellLimit = 10_000;

/** Tells all who want to know of such events, once, without the headers that they asked for: those are not kept. */
export const submitTestEvent: Act = (call) => {
  const { world, machine, body } = call;
  const { EventType = 'Alert', ...event } = body;
  const message = textOf(body, 'MessageId');
  const told = {
    '@odata.type': '#Event.v1_9_0.Event',
    Id: '1',
    Name: 'Test Event',
    Events: [{ MemberId: '0', ...event, EventType, MessageId: message }],
  };
  for (const { destination, context, event_types } of machine.subscriptions ?? []) {
    if (!event_types.includes(EventType as string)) continue;
    void world
      .fetch(destination, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...told, Context: context }),
        signal: AbortSignal.timeout(tellLimit),
      })
      .then(discard)
      .catch(() => undefined);
  }
  return done;
};
