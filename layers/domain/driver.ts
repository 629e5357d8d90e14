/** The driver as a table (ironic-api.md 6): how a hardware type shows on the wire. Nothing of it is stored. */
import * as z from 'zod';

import { fields, type Fields } from './fields.ts';
import { hardwareTypes, interfaceKinds, type InterfaceKind } from './hardware-types.ts';
import { linksTo, ownLinks, type Shown } from './projection.ts';
import { text } from './values.ts';

const names = z.array(z.string());

/** Drivers tell their interfaces since 1.30, one version before nodes did. */
const interfaceRows: Fields = Object.fromEntries(
  Object.entries(interfaceKinds).flatMap(([kind, { since: shown }]) => {
    const row = { access: 'read', computed: true, since: shown <= 31 ? 30 : shown } as const;
    return [
      [`default_${kind}_interface`, { ...row, schema: text(255), doc: `${kind} interface of a node that names none.` }],
      [`enabled_${kind}_interfaces`, { ...row, schema: names, doc: `Possible ${kind} interfaces.` }],
    ];
  }),
);

export const driver: Fields = {
  ...fields({
    name: { access: 'read', schema: text(255), required: true, summary: true, doc: 'Name of the hardware type.' },
    hosts: { access: 'read', schema: names, computed: true, summary: true, doc: 'Sites that serve it.' },
    links: ownLinks,
    properties: { ...linksTo('properties', 'Links to /properties.'), since: 14, summary: true },
    type: {
      access: 'read',
      since: 30,
      schema: z.literal('dynamic'),
      default: 'dynamic',
      summary: true,
      filter: { schema: z.enum(['dynamic', 'classic'], 'must be dynamic or classic') },
      doc: 'Always dynamic: classic drivers are gone.',
    },
  }),
  ...interfaceRows,
};

/** How the interface fields are made from the table of hardware types. */
export const shownInterfaces: Shown<{ readonly name: string }> = Object.fromEntries(
  (Object.keys(interfaceKinds) as InterfaceKind[]).flatMap((kind) => {
    const implementations = (name: string) => hardwareTypes[name]!.interfaces[kind];
    return [
      [`default_${kind}_interface`, ({ name }: { name: string }) => implementations(name)[0]],
      [`enabled_${kind}_interfaces`, ({ name }: { name: string }) => implementations(name)],
    ];
  }),
);
