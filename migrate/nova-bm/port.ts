/** A row of bm_interfaces as a port of the Bare Metal API (nova-bm-migration.md 3 and 3.1). */
import { createHash } from 'node:crypto';

import type { InterfaceRow } from './tables.ts';

export type PortRecord = {
  readonly uuid: string;
  readonly address: string;
  readonly node_uuid: string;
  readonly pxe_enabled: true;
  readonly local_link_connection: { readonly switch_id?: string; readonly port_id?: string };
  readonly internal_info: { readonly tenant_vif_port_id?: string };
  readonly extra: Readonly<Record<string, never>>;
  readonly created_at: string | null;
  readonly updated_at: string | null;
};

const forms = [
  /^[0-9a-f]{2}(?:([:.-])[0-9a-f]{2})(?:\1[0-9a-f]{2}){4}$/,
  /^[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}$/,
  /^[0-9a-f]{12}$/,
];

/** In lower case with colons, however it was written (nova-bm-migration.md 3.1 has the forms); undefined for what is none. */
export const macOf = (address: string): string | undefined => {
  const text = address.trim().toLowerCase();
  return forms.some((form) => form.test(text))
    ? text
        .replace(/[^0-9a-f]/g, '')
        .match(/../g)!
        .join(':')
    : undefined;
};

/** A name-based UUID (RFC 9562, version 5): the same on every run. */
const uuidOf = (namespace: string, name: string): string => {
  const space = Buffer.from(namespace.replaceAll('-', ''), 'hex');
  const bytes = createHash('sha1').update(space).update(name).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
};

/** Zeros are what the old client sent for none. */
const isSet = (datapath_id: string | null): datapath_id is string => datapath_id !== null && !/^0+$/.test(datapath_id);

/** `address`: as `macOf` has it. */
export const portOf = (row: InterfaceRow, node_uuid: string, address: string): PortRecord => ({
  uuid: uuidOf(node_uuid, address),
  address,
  node_uuid,
  pxe_enabled: true,
  local_link_connection:
    isSet(row.datapath_id) && row.port_no !== null ? { switch_id: row.datapath_id, port_id: String(row.port_no) } : {},
  internal_info: row.vif_uuid === null ? {} : { tenant_vif_port_id: row.vif_uuid },
  extra: {},
  created_at: row.created_at,
  updated_at: row.updated_at,
});
