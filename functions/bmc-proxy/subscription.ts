/** Who is told of the events of a machine: the BMC calls that address by itself (redfish.md 4.1). */
import type { Subscription } from '../../layers/bmc/settings.ts';
import { cutText } from '../../layers/domain/foreign-text.ts';
import { eventDestination, eventService } from '../../layers/redfish-client/parts.ts';
import { withBmc, type Bmc } from './bmc.ts';
import { done, type Call, type Parsed } from './call.ts';
import { ensure, firstAccepted, maySend } from './ensure.ts';
import { readMembers, readRequired, type Link } from './resource.ts';

/** A subscription that was ended may be listed so long. */
const lagMs = 15_000;

const collectionOf = async (bmc: Bmc): Promise<Link> => {
  const { EventService } = await bmc.redfish.root();
  return (await readRequired(bmc, EventService, eventService, 'event service')).body.Subscriptions;
};

const readList = async (bmc: Bmc): Promise<Subscription[]> => {
  const found = await readMembers(bmc, await collectionOf(bmc), eventDestination);
  return found.map(({ path, body }) => ({
    path,
    Id: body.Id ?? decodeURIComponent(path.split('/').at(-1)!),
    Destination: body.Destination ?? null,
    Protocol: body.Protocol ?? null,
    Context: body.Context ?? null,
    EventTypes: body.EventTypes ?? null,
  }));
};

/** What a BMC lists may be anybody's, and of any length. */
const shown = (one: Subscription): Subscription => ({
  ...one,
  Id: cutText(one.Id),
  Destination: one.Destination && cutText(one.Destination),
  Protocol: one.Protocol && cutText(one.Protocol),
  Context: one.Context && cutText(one.Context),
  EventTypes: one.EventTypes?.map((type) => cutText(type, 255)) ?? null,
});

/** All there are, whoever made them. Throws BmcUnsupported. */
export const listSubscriptions = async (call: Call<'subscription.list'>) =>
  withBmc(call, async (bmc) => done<'subscription.list'>({ subscriptions: (await readList(bmc)).map(shown) }));

/** BMCs may write a URL in another way than they were given it. */
const same = (shown: string | null, wanted: string): boolean =>
  shown === wanted ||
  (URL.canParse(shown ?? '') && URL.canParse(wanted) && new URL(shown!).href === new URL(wanted).href);

/** Newer BMCs refuse EventTypes, which the standard has given up. */
const bodiesOf = ({ HttpHeaders, EventTypes, ...wanted }: Parsed<'subscription.create'>): object[] => {
  const body = { ...wanted, ...(HttpHeaders.length > 0 && { HttpHeaders }) };
  return [{ ...body, EventTypes }, body];
};

/** Done when the BMC lists it. Throws BmcUnsupported, and what the BMC has against it. */
export const createSubscription = async (call: Call<'subscription.create'>) => {
  const { Destination, Context, HttpHeaders } = call.params;
  for (const value of HttpHeaders.flatMap(Object.values<string>)) call.conceal(value);
  return withBmc(call, async (bmc) =>
    ensure(call, {
      observe: async (entry) => {
        // One that somebody else made may send other headers, so only what was sent from here is looked for.
        const all = entry && entry.state !== 'refused' ? await readList(bmc) : [];
        const made = all.findLast((one) => same(one.Destination, Destination) && (one.Context ?? '') === Context);
        return made ? { so: { subscription: made } } : { not: 'The BMC does not list the subscription yet.' };
      },
      next: (entry) => {
        // A second one would be a second subscription; whoever waits in vain looks at what there is.
        if (entry && entry.state !== 'refused') return undefined;
        const post = (body: object) => async () => bmc.redfish.post((await collectionOf(bmc))?.['@odata.id'], body);
        return { what: 'event subscription', send: async () => firstAccepted(bodiesOf(call.params).map(post)) };
      },
      task: bmc.redfish.task,
      quirks: async () => [],
    }),
  );
};

/** Done when the BMC does not list it. */
export const deleteSubscription = async (call: Call<'subscription.delete'>) =>
  withBmc(call, async (bmc) => {
    let found: Subscription | undefined;
    return ensure(call, {
      observe: async () => {
        found = (await readList(bmc)).find(({ Id }) => Id === call.params.id);
        return found ? { not: 'The BMC still lists the subscription.' } : { so: {} };
      },
      next: (entry) => {
        if (!maySend(call, entry, lagMs)) return undefined;
        const { path } = found!;
        return { what: 'end of event subscription', repeatable: true, send: async () => bmc.redfish.remove(path) };
      },
      task: bmc.redfish.task,
      quirks: async () => [],
    });
  });
