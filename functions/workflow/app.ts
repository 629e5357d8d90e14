/**
 * Runs one phase of a workflow for Step Functions; one named state of the ASL file is one phase. The API asks it for
 * requests to hardware that a client waits for. What an event is, its first member says: `workflow` or `request`.
 */
import { Fault } from '../../layers/domain/fault.ts';
import { createImageClient } from '../../layers/image-client/client.ts';
import type { Invocation, Platform } from '../../layers/platform/platform.ts';
import type { Apis } from '../../layers/platform/apis.ts';
import { allocationWorkflows, isWorkflow, nodeWorkflows, workflows } from '../../workflows/index.ts';
import { createAllocationOwner } from '../../workflows/owners/allocation/index.ts';
import { createNodeOwner } from '../../workflows/owners/node/index.ts';
import { createRunner } from '../../workflows/run/runner.ts';
import type { Config } from './config.ts';
import { serveRequest } from './request.ts';

const runners = {
  node: createRunner(createNodeOwner(nodeWorkflows)),
  allocation: createRunner(createAllocationOwner(allocationWorkflows)),
};

type Owner = keyof typeof runners;

/** Whose run it is, of those whose phases are run here. */
const ownerOf = (workflow: unknown): Owner | undefined => {
  const owner = typeof workflow === 'string' && isWorkflow(workflow) ? workflows[workflow].owner : undefined;
  return owner !== undefined && Object.hasOwn(runners, owner) ? (owner as Owner) : undefined;
};

/** Everything that this function may touch of the world. */
export type Deps = Pick<
  Platform,
  'table' | 'objects' | 'workflows' | 'functions' | 'sealer' | 'log' | 'clock' | 'chance' | 'ids'
> & { readonly apis: Pick<Apis, 'image'> };

type Event = { readonly request?: unknown; readonly workflow?: unknown } | null | undefined;

/**
 * Answers the small object that the next Choice reads, or what the client gets. Throws what the ASL retries or catches:
 * Pending, NodeLocked, Superseded, the faults of layers/bmc/faults.ts; RequestMalformed for a mistake of the API's.
 */
export const create = (platform: Deps, { openImages, otherImages, ...settings }: Config) => {
  const images = createImageClient({
    call: platform.apis.image,
    is_external: otherImages,
    open_endpoint: openImages,
  });
  const world = { ...platform, settings, images };
  return async (event: unknown, invocation: Invocation) => {
    const { request, workflow } = (event as Event) ?? {};
    if (request !== undefined) return serveRequest(world, event);
    const owner = ownerOf(workflow);
    if (owner) return runners[owner](world, event, invocation);
    throw new Fault('PhaseUnknown', 500, `There is no workflow ${JSON.stringify(workflow)} whose phase could be run.`);
  };
};
