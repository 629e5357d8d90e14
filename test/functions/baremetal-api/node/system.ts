/** The API in front of workflows that run: the real ASL in the real interpreter, with machines that are made up. */
import type { StoredNode } from '../../../../layers/store/nodes.ts';
import type { MemoryPlatform } from '../../../../layers/platform/memory/platform.ts';
import { createStage } from '../../../workflows/stage.ts';
import { createFront } from '../front.ts';

/** `ask` waits until nothing is left to do; it throws for an answer that is no success. */
export const createSystem = async (node: StoredNode) => {
  const stage = await createStage({ node });
  const front = createFront({}, { ...stage.world, workflows: stage.workflows() } as unknown as MemoryPlatform);
  const ask = async (line: string, body?: object) => {
    const { status, error } = await front.request(line, body && { body });
    if (status >= 300) throw new Error(`${line} is ${status}: ${error}`);
    await stage.settle();
  };
  const at = `/v1/nodes/${node.uuid}`;
  return {
    stage,
    front,
    ask,
    provision: async (target: string, more: object = {}) => ask(`PUT ${at}/states/provision`, { target, ...more }),
    power: async (target: string) => ask(`PUT ${at}/states/power`, { target }),
  };
};

export type System = Awaited<ReturnType<typeof createSystem>>;
