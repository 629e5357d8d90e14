/**
 * GET validate: what each interface of the node has to say, without touching the machine (ironic-api.md 2.1). An image of
 * the Image API is looked up as a deploy would do it.
 */
import { validateNode } from '../../../layers/bmc/validation.ts';
import { Invalid, isFault } from '../../../layers/domain/fault.ts';
import { authorize } from '../../../layers/domain/policy.ts';
import { belongingTo } from '../../../layers/store/kinds/kind.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { type Deps, type Route, route } from '../route.ts';
import { imageOf } from '../../../workflows/owners/node/image-source.ts';
import { type Asking, askMachine } from './ask.ts';
import { findByIdent } from './find.ts';
import { imageProject } from './images.ts';

/** Whether the node has a port: the deploy agent is found by its MAC address. */
export const hasPorts = async ({ table }: Pick<Deps, 'table'>, uuid: string): Promise<boolean> => {
  const found = await table.query({ ...belongingTo(kinds.port, uuid), limit: 1 });
  return found.length > 0;
};

/** Why a deploy that this caller asks for could not write the image. Undefined if it could. */
const imageRefusal = async (deps: Deps, { target, subject }: Asking): Promise<string | undefined> => {
  if (imageOf(target) === undefined) return undefined;
  try {
    await askMachine(deps, { target, subject }, 'check_image', { project: imageProject(target, subject) ?? null });
    return undefined;
  } catch (error) {
    if (isFault(error)) return error.message;
    throw error;
  }
};

/** Takes no lock: it answers while the node is being worked on. */
const validate = async (deps: Deps, { target, subject }: Asking) => {
  const found = validateNode(target, {
    hasPorts: await hasPorts(deps, target.uuid),
    requireTls: deps.config.requireTls,
    ramdisk: deps.config.ramdisk,
  });
  const reason = found['deploy']?.result ? await imageRefusal(deps, { target, subject }) : undefined;
  return { body: reason === undefined ? found : { ...found, deploy: { result: false, reason } } };
};

export const validateRoutes: Route[] = [
  route<undefined, StoredNode>({
    at: 'GET /v1/nodes/{ident}/validate',
    policy: 'baremetal:node:validate',
    find: findByIdent,
    handle: validate,
  }),
  route({
    at: 'GET /v1/nodes/validate',
    policy: 'baremetal:node:validate',
    own: 'baremetal:node:validate',
    query: { node: {}, node_uuid: {} },
    handle: async (deps, call) => {
      const ident = call.query['node_uuid']?.[0] ?? call.query['node']?.[0];
      if (ident === undefined) throw Invalid('Missing mandatory parameter: node_uuid.');
      const target = await findByIdent(deps, { ident }, call.version);
      authorize('baremetal:node:validate', call.subject, target, ident);
      return validate(deps, { ...call, target });
    },
  }),
];
