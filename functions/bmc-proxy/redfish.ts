/** The operations on a BMC, by name. The compiler demands one function for each row of layers/bmc/operations.ts. */
import { callAgent, executeStep, listSteps, lookAtProgress } from './agent.ts';
import { ensureBios, getBios, resetBios } from './bios.ts';
import { clearBoot, ensureBoot } from './boot.ts';
import { ensureMode } from './boot-mode.ts';
import type { Implementation } from './call.ts';
import { getFirmware } from './firmware.ts';
import { ensureIndicator, listIndicators } from './indicator.ts';
import { injectNmi } from './interrupt.ts';
import { getInventory } from './inventory.ts';
import { ejectMedia, getMedia, insertMedia } from './media.ts';
import { ensurePower } from './power.ts';
import { prove } from './prove.ts';
import { restart } from './restart.ts';
import { ensureSecureBoot, getSecureBoot } from './secure-boot.ts';
import { createSubscription, deleteSubscription, listSubscriptions } from './subscription.ts';
import { getSystem, probe } from './system.ts';

/** What `app.ts` dispatches to. */
export const redfish: Implementation = {
  'bmc.probe': probe,
  'bmc.prove': prove,
  'system.get': getSystem,
  'power.ensure': ensurePower,
  'power.restart': restart,
  'boot.ensure': ensureBoot,
  'boot.clear': clearBoot,
  'vmedia.insert': insertMedia,
  'vmedia.eject': ejectMedia,
  'vmedia.get': getMedia,
  'mode.ensure': ensureMode,
  'secure_boot.get': getSecureBoot,
  'secure_boot.ensure': ensureSecureBoot,
  'nmi.inject': injectNmi,
  'indicator.list': listIndicators,
  'indicator.ensure': ensureIndicator,
  'subscription.list': listSubscriptions,
  'subscription.create': createSubscription,
  'subscription.delete': deleteSubscription,
  'bios.get': getBios,
  'bios.ensure': ensureBios,
  'bios.reset': resetBios,
  'firmware.get': getFirmware,
  'inventory.get': getInventory,
  'agent.steps': listSteps,
  'agent.execute': executeStep,
  'agent.progress': lookAtProgress,
  'agent.call': callAgent,
};
