/** How a stored node is shown. */
import { maskInstanceInfo, maskNotes, maskSecrets, withheldFrom, withhold } from '../../../layers/domain/masking.ts';
import { node as nodeFields } from '../../../layers/domain/node.ts';
import { projector, resourceLinks, type Want } from '../../../layers/domain/projection.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import type { Call, Deps } from '../route.ts';

type Asked = Pick<Call, 'base' | 'version'>;

/** Makes the function that shows nodes without the fields that are named; secrets are masked for everybody. */
export const nodeViewWithout = ({ config }: Pick<Deps, 'config'>, { base, version }: Asked, want: Want) => {
  const below = (part: string) => (node: StoredNode) => resourceLinks(base, `nodes/${node.uuid}`, part);
  const show = projector<StoredNode>(nodeFields, version, want, {
    links: ({ uuid }) => resourceLinks(base, 'nodes', uuid),
    ports: below('ports'),
    states: below('states'),
    portgroups: below('portgroups'),
    volume: below('volume'),
    conductor: () => config.site,
    driver_info: ({ driver_info }) => maskSecrets(driver_info),
    driver_internal_info: ({ driver_internal_info }) => maskNotes(driver_internal_info),
    instance_info: ({ instance_info }) => maskInstanceInfo(instance_info),
  });
  return (node: StoredNode, names: readonly string[]) => withhold(show(node), names);
};

/** Makes the function that shows nodes as this caller asked for them and may see them. */
export const nodeView = (deps: Pick<Deps, 'config'>, call: Asked & Pick<Call, 'subject'>, want: Want) => {
  const show = nodeViewWithout(deps, call, want);
  const namesOf = withheldFrom(call.subject);
  return (node: StoredNode) => show(node, namesOf(node));
};

/** Whether what is wanted needs the instance_info item, which is stored apart. */
export const needsInfo = (want: Want): boolean =>
  want === 'all' || (want !== 'summary' && want.includes('instance_info'));
