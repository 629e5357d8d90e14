/** The API with nodes, and the searches for nodes that it starts: made when a test says so. */
import { create as createWorkflow } from '../../../../functions/workflow/app.ts';
import { Config } from '../../../../functions/workflow/config.ts';
import type { StoredNode } from '../../../../layers/store/nodes.ts';
import { createFrontWithNodes } from '../node/stored.ts';
import type { Options } from '../front.ts';
import { environmentWith } from '../../../fakes/settings.ts';

const invocation = { request_id: 'w', remaining_ms: () => 120_000 };

export const member = (project: string, roles = 'member') => ({ user: 'u', project, roles, scope: 'project' });

export const createSearches = () => {
  const front = createFrontWithNodes();
  const { platform, request } = front;
  const phase = createWorkflow(platform, Config.parse(environmentWith()));
  let made = 0;

  /** A node that an allocation may get. */
  const free = async (values: Partial<StoredNode> = {}) =>
    front.store({ power_state: 'power off', resource_class: 'baremetal', ...values });

  /** Makes every search that was started and not made yet, all at the same time. */
  const search = async (): Promise<unknown[]> => {
    const all = platform.workflows.started.filter(({ workflow }) => workflow === 'allocate').slice(made);
    made += all.length;
    return Promise.all(
      all.map(async ({ input }) => phase({ workflow: 'allocate', phase: 'PickNode', ...input }, invocation)),
    );
  };

  const show = async (ident: string) => (await request(`GET /v1/allocations/${ident}`)).body;

  /** POSTs an allocation for a node of the class `baremetal`. */
  const wish = async (body: object = {}, options: Options = {}) =>
    request('POST /v1/allocations', { body: { resource_class: 'baremetal', ...body }, ...options });

  /** The allocation after its search. */
  const allocate = async (body: object = {}, options: Options = {}) => {
    const { status, body: made_, error } = await wish(body, options);
    if (status !== 201) throw new Error(`${status}: ${error}`);
    await search();
    return show(made_.uuid);
  };

  return { ...front, free, search, show, wish, allocate, phase };
};
