/** The operations on a BMC, by name. The compiler demands one function for each row of layers/bmc/operations.ts. */
import { callAgent, executeStep, listSteps } from './agent.ts';
import { clearBoot, ensureBoot } from './boot.ts';
import type { Implementation } from './call.ts';
import { ejectMedia, insertMedia } from './media.ts';
import { ensurePower } from './power.ts';
import { getSystem, probe } from './system.ts';

/** What `app.ts` dispatches to. */
export const redfish: Implementation = {
  'bmc.probe': probe,
  'system.get': getSystem,
  'power.ensure': ensurePower,
  'boot.ensure': ensureBoot,
  'boot.clear': clearBoot,
  'vmedia.insert': insertMedia,
  'vmedia.eject': ejectMedia,
  'agent.steps': listSteps,
  'agent.execute': executeStep,
  'agent.call': callAgent,
};
