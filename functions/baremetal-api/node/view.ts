/** How a stored node is shown. */
import { maskInstanceInfo, maskSecrets } from '../../../layers/domain/masking.ts';
import { node as nodeFields } from '../../../layers/domain/node.ts';
import { projector, resourceLinks, type Want } from '../../../layers/domain/projection.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import type { Call, Deps } from '../route.ts';

/** Makes the function that shows nodes as this caller asked for them; secrets are masked for everybody. */
export const nodeView = ({ config }: Pick<Deps, 'config'>, { base, version }: Call, want: Want) => {
  const below = (part: string) => (node: StoredNode) => resourceLinks(base, `nodes/${node.uuid}`, part);
  return projector<StoredNode>(nodeFields, version, want, {
    links: ({ uuid }) => resourceLinks(base, 'nodes', uuid),
    ports: below('ports'),
    states: below('states'),
    portgroups: below('portgroups'),
    volume: below('volume'),
    conductor: () => config.site,
    driver_info: ({ driver_info }) => maskSecrets(driver_info),
    driver_internal_info: ({ driver_internal_info }) => maskSecrets(driver_internal_info),
    instance_info: ({ instance_info }) => maskInstanceInfo(instance_info),
  });
};

/** Whether what is wanted needs the instance_info item, which is stored apart. */
export const needsInfo = (want: Want): boolean =>
  want === 'all' || (want !== 'summary' && want.includes('instance_info'));
