/** How a stored node is shown. */
import { node as nodeFields } from '../../../layers/domain/node.ts';
import { projector, type Viewer, type Want } from '../../../layers/domain/projection.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import type { Deps } from '../route.ts';

/** Makes the function that shows nodes as this caller asked for them and may see them. */
export const nodeView = ({ config }: Pick<Deps, 'config'>, viewer: Viewer, want: Want) =>
  projector<StoredNode>(nodeFields, viewer, want, { at: 'nodes', shown: { conductor: () => config.site } });

/** Whether what is wanted needs the instance_info item, which is stored apart. */
export const needsInfo = (want: Want): boolean =>
  want === 'all' || (want !== 'summary' && want.includes('instance_info'));
