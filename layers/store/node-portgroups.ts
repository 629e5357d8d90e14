/** Port groups, as a kind of what a node has several of; found by UUID, MAC address and name. */
import { portgroup as portgroupFields, type Portgroup } from '../domain/portgroup.ts';
import { belongingKey, type Kind, type Stored } from './belongings.ts';
import type { Key } from '../platform/table.ts';

export type StoredPortgroup = Stored<Portgroup>;

/** For the functions of `belongings.ts`. */
export const portgroupKind: Kind = {
  name: 'portgroup',
  title: 'Portgroup',
  fields: portgroupFields,
  words: { portgroup: 'UUID', portgroup_address: 'MAC address', portgroup_name: 'name' },
};

/** A port group stands with its node. */
export const portgroupKey = (node: string, uuid: string): Key => belongingKey(portgroupKind, node, uuid);
