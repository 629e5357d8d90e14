/** Writes the configdrive of a server with a network of every sort: `drive.ts FOLDER` makes FOLDER/drive.iso. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { buildGuestDrive } from '../../../layers/guest/configdrive.ts';
import { network, server } from '../../layers/guest/server.ts';

writeFileSync(join(process.argv[2]!, 'drive.iso'), buildGuestDrive(server, network));
