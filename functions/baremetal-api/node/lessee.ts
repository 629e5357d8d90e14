/** The project that a deploy is for becomes the lessee of the node, if the operator wants that (ironic-rbac.md 7). */
import { keep } from '../../../layers/domain/notes.ts';
import type { Subject } from '../../../layers/domain/policy.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import type { Config } from '../config.ts';

const projectOf = ({ instance_info: info }: StoredNode, { project }: Subject, source: Config['automaticLessee']) => {
  const found = { none: null, request: project, instance: info['project_id'] }[source];
  return typeof found === 'string' && found !== '' ? found.slice(0, 255) : undefined;
};

/** What changes on the node. A lessee that is there stays, whoever set it; undeploy takes away one that came like this. */
export const leaseTo = (node: StoredNode, subject: Subject, source: Config['automaticLessee']): Partial<StoredNode> => {
  const lessee = projectOf(node, subject, source);
  if (lessee === undefined || node.lessee !== null) return {};
  return { lessee, ...keep(node, { automatic_lessee: true }) };
};
