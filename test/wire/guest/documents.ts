/**
 * Writes guest documents of metadata with hostile texts in every place: `documents.ts FOLDER` makes FOLDER/documents.json,
 * a list of `{xml, told}`, where `told` is what a parser has to find.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import fc from 'fast-check';

import { documentSchemas, renderGuestDocument } from '../../../layers/guest/guest-document.ts';
import { createMetadata, facts, type FactName, type GuestMetadata } from '../../../layers/guest/metadata.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1 }),
  fc.constantFrom(']]>', '<!--', '&amp;', '"\'>', '\r\n\t ', '<!DOCTYPE a [<!ENTITY b "c">]>&b;'),
);
const specs = fc.dictionary(fc.string({ unit: 'grapheme', minLength: 1 }), text, { maxKeys: 4 });
const valueOf = (name: FactName) => (facts[name].schema.safeParse(1).success ? fc.nat() : text);
const known = fc.record({
  uuid: text,
  package: text,
  ...Object.fromEntries((Object.keys(facts) as FactName[]).map((name) => [name, valueOf(name)])),
  extra_specs: specs,
});
const address = fc.record({ address: text, version: fc.constantFrom(4 as const, 6 as const) });
const ports = fc.array(fc.record({ uuid: text, ips: fc.array(address, { maxLength: 3 }) }), { maxLength: 3 });

/** What a parser finds in the place of what XML cannot hold. */
const readable = (value: string) =>
  // oxlint-disable-next-line no-control-regex -- it is what this is about
  value.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd').toWellFormed();

const toldOf = (meta: GuestMetadata) => ({
  package: readable(meta.package),
  name: readable(meta.display_name),
  user: readable(meta.user_name!),
  user_id: readable(meta.user_id!),
  flavor: readable(meta.flavor_name!),
  extra_specs: Object.entries(meta.extra_specs).map(([name, value]) => [readable(name), readable(value)]),
  addresses: meta.ports.map(({ uuid, fixed_ips: ips }) => [readable(uuid!), ips.map((ip) => readable(ip.address))]),
});

const documents = fc
  .sample(fc.tuple(known, ports, fc.constantFrom(...documentSchemas)), { numRuns: 500, seed: 9 })
  .map(([values, named, schema]) => {
    const meta = createMetadata(
      values,
      named.map(({ uuid, ips }) => ({
        uuid,
        fixed_ips: ips.map((ip) => ({ ...ip, type: 'fixed' as const, floating_ips: [] })),
        floating_ips: [],
      })),
    );
    return { schema, xml: renderGuestDocument(meta, schema), told: toldOf(meta) };
  });

writeFileSync(join(process.argv[2]!, 'documents.json'), JSON.stringify(documents));
