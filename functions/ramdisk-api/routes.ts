/** The rows of `layers/domain/baremetal/ramdisk.ts` with what is done for each. */
import { ramdisk } from '../../layers/domain/baremetal/ramdisk.ts';
import { continueInspection } from './continue-inspection.ts';
import { heartbeat } from './heartbeat.ts';
import { lookup } from './lookup.ts';
import { route, type Route } from './route.ts';

export const routes: readonly Route[] = [
  route({ ...ramdisk.lookup, handle: lookup }),
  route({ ...ramdisk.heartbeat, handle: heartbeat }),
  route({ ...ramdisk.continue_inspection, handle: continueInspection }),
];
