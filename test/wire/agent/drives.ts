/**
 * Stores configdrives in a running Ingot, the way its API does, and prints where an agent would be told to fetch each:
 * `drives.ts STATE_DIR URL COUNT` gives one line of JSON for each, `{url, sha256}` of the image. A deploy for each of
 * hundreds would take hours; the links are those of a deploy, and the running Ingot answers them.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';

import { readConfigdrive, storeConfigdrive } from '../../../functions/baremetal-api/configdrive.ts';
import { buildConfigdrive } from '../../../layers/configdrive/index.ts';
import { systemClock } from '../../../layers/platform/clock.ts';
import { createIds } from '../../../layers/platform/ids.ts';
import { createObjects } from '../../../local/objects/objects.ts';
import { configdriveLink } from '../../../workflows/owners/node/instance-media.ts';
import { aNode } from '../../layers/store/a-node.ts';

const seconds = 600;

/** Bytes that look random and are the same in every run. */
const noise = (seed: string, bytes: number): Buffer =>
  createHash('shake256', { outputLength: bytes }).update(seed).digest();

/** Keys end with `==` or `=`; settings have some in the middle of a line. */
const documentsOf = (number: number) => ({
  meta_data: {
    hostname: `host-${number}`,
    ...(number % 3 > 0 && {
      public_keys: { mykey: `ssh-rsa ${noise(`key ${number}`, 276 + (number % 3)).toString('base64')} me@host` },
    }),
  },
  ...(number % 2 > 0 && { user_data: `#!/bin/sh\nA=1\nexport B=${number}\nx==y\n` }),
  ...(number % 5 === 0 && { network_data: { links: [{ id: 'eth0', mtu: 1500 + number }] } }),
});

const [stateDir, base, count] = process.argv.slice(2) as [string, string, string];
const objects = createObjects({ folder: join(stateDir, 'objects'), key: join(stateDir, 'keys', 'links'), base });
const ids = createIds(systemClock);

for (let number = 0; number < Number(count); number += 1) {
  const node = aNode({ uuid: ids.uuid(), name: `node-${number}` });
  const documents = documentsOf(number);
  const image = buildConfigdrive(documents, node);
  const configdrive = await readConfigdrive({ objects }, documents, node);
  const kept = await storeConfigdrive({ objects, ids }, node.uuid, configdrive!);
  const url = await configdriveLink({ objects }, { ...node, instance_info: { configdrive: kept } }, 'agent', seconds);
  process.stdout.write(`${JSON.stringify({ url, sha256: createHash('sha256').update(image).digest('hex') })}\n`);
}
