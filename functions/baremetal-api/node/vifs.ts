/**
 * Virtual network interfaces (ironic-deploy.md 7). Network interface `noop` knows nothing of them: whoever runs the
 * network does it without Ingot, so attaching and detaching are accepted and nothing is remembered. `flat` remembers
 * which VIF is attached to which card; the guest document tells of it.
 */
import * as z from 'zod';

import { hasGuest, makeStale } from '../../../layers/domain/baremetal/guest.ts';
import { Invalid, NotAcceptable } from '../../../layers/domain/fault.ts';
import type { Subject } from '../../../layers/domain/policy.ts';
import { isoTime } from '../../../layers/domain/values.ts';
import {
  attachedWith,
  cardFor,
  type Cards,
  keepsVifs,
  vifOf,
  type Wanted,
  withVif,
} from '../../../layers/domain/vifs.ts';
import { askedBy, type NodeEvent } from '../../../layers/store/events.ts';
import { followGuest } from '../../../layers/store/guest-documents.ts';
import { kinds, type StoredPort, type StoredPortgroup } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { changeRecord } from '../../../layers/store/records/change.ts';
import { beside, type Beside } from '../../../layers/store/records/plan.ts';
import { cardsOf, vifsOf } from '../../../layers/store/vifs.ts';
import { type Call, type Deps, type Route, route } from '../route.ts';
import { findByIdent } from './find.ts';
import { requireInstance } from './for-instance.ts';
import { refuseLocked } from '../../../layers/store/reservation.ts';

/** Callers send more keys of the port, which only a network service would understand. */
const body = z.looseObject({
  id: z.string().min(1).max(255),
  port_uuid: z.string().nullish(),
  portgroup_uuid: z.string().nullish(),
});
type Body = z.output<typeof body>;

type StoredCards = Cards<StoredPort, StoredPortgroup>;
type Card = { readonly port: StoredPort } | { readonly group: StoredPortgroup };

/** The change of a card: it has this VIF now, or none. */
const plug = (card: Card, vif: string | undefined): Beside =>
  'port' in card
    ? beside(kinds.port, card.port, { set: withVif(card.port, vif) })
    : beside(kinds.portgroup, card.group, { set: withVif(card.group, vif) });

const uuidOf = (card: Card): string => ('port' in card ? card.port : card.group).uuid;
const nameOf = (card: Card): string => `${'port' in card ? 'port' : 'port group'} ${uuidOf(card)}`;

const line = (message: string, subject: Subject): NodeEvent => ({
  kind: 'request',
  severity: 'INFO',
  event_type: 'network',
  message,
  ...askedBy(subject),
});

/** What changes with the card: what the node's record says of its VIFs, and its guest document. */
const nodeWith = ({ clock }: Deps, node: StoredNode, cards: Cards, card: Card, vif?: string): Partial<StoredNode> => ({
  vifs: attachedWith(cards, uuidOf(card), vif),
  ...(hasGuest(node) && makeStale(node, isoTime(clock.now()))),
});

/** The card and its node change together: what is decided on the cards of a node depends on its revision. */
const attach = async (deps: Deps, call: Call<Body, StoredNode>, vif: string, wanted: Wanted) => {
  const { subject, target } = call;
  const changed = await changeRecord(deps, kinds.node, target.uuid, async (node) => {
    requireInstance(call, node);
    refuseLocked(node);
    const cards = await cardsOf(deps.table, node.uuid);
    const card = cardFor(vif, cards, wanted);
    const said = line(`VIF ${vif} is attached to ${nameOf(card)}.`, subject);
    return { set: nodeWith(deps, node, cards, card, vif), beside: [plug(card, vif)], events: [said] };
  });
  await followGuest(deps, changed);
};

const cardWith = ({ ports, groups }: StoredCards, node: StoredNode, vif: string): Card => {
  const port = ports.find((one) => vifOf(one) === vif);
  const group = groups.find((one) => vifOf(one) === vif);
  if (port) return { port };
  if (group) return { group };
  throw Invalid(`VIF ${vif} is not attached to node ${node.uuid}.`);
};

const detach = async (deps: Deps, call: Call<undefined, StoredNode>, vif: string) => {
  const { subject, target } = call;
  const changed = await changeRecord(deps, kinds.node, target.uuid, async (node) => {
    requireInstance(call, node);
    refuseLocked(node);
    const cards = await cardsOf(deps.table, node.uuid);
    const card = cardWith(cards, node, vif);
    const said = line(`VIF ${vif} is detached from ${nameOf(card)}.`, subject);
    return { set: nodeWith(deps, node, cards, card), beside: [plug(card, undefined)], events: [said] };
  });
  await followGuest(deps, changed);
};

/** Throws NotAcceptable (406), Invalid (400). */
const wantedOf = ({ port_uuid: port, portgroup_uuid: group }: Body, version: number): Wanted => {
  const wanted = { port: port ?? null, group: group ?? null };
  const named = Object.values(wanted).filter((uuid) => uuid !== null);
  if (named.length > 0 && version < 67) {
    throw NotAcceptable('Request not acceptable. port_uuid and portgroup_uuid need API version 1.67 or newer.');
  }
  if (named.length > 1) throw Invalid('port_uuid and portgroup_uuid exclude each other.');
  return wanted;
};

export const vifRoutes: Route[] = [
  route<undefined, StoredNode>({
    at: 'GET /v1/nodes/{ident}/vifs',
    since: 28,
    policy: 'baremetal:node:vif:list',
    find: findByIdent,
    handle: async ({ table }, { target: node }) => {
      const vifs = keepsVifs(node) ? await vifsOf(table, node.uuid) : [];
      return { body: { vifs: vifs.map((id) => ({ id })) } };
    },
  }),
  route<Body, StoredNode>({
    at: 'POST /v1/nodes/{ident}/vifs',
    fenced: true,
    since: 28,
    policy: 'baremetal:node:vif:attach',
    body,
    find: findByIdent,
    handle: async (deps, call) => {
      const wanted = wantedOf(call.body, call.version);
      refuseLocked(call.target);
      if (keepsVifs(call.target)) await attach(deps, call, call.body.id, wanted);
      return {};
    },
  }),
  route<undefined, StoredNode>({
    at: 'DELETE /v1/nodes/{ident}/vifs/{vif}',
    fenced: true,
    since: 28,
    policy: 'baremetal:node:vif:detach',
    find: findByIdent,
    handle: async (deps, call) => {
      refuseLocked(call.target);
      if (keepsVifs(call.target)) await detach(deps, call, call.params['vif']!);
      return {};
    },
  }),
];
