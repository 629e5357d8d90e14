/** Whose images of the Image API may be written to a node: that of who asks for it, which a text in the node cannot change. */
import { drop, keep, type Noted } from '../../../layers/domain/notes.ts';
import type { Subject } from '../../../layers/domain/policy.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';

/**
 * The project that has to see the image. Who asks for a project gets what that sees: whatever instance_info says, it may
 * have written itself. Who asks for the whole system, such as a compute service, says there for whom it is; undefined: it
 * does not, and any image will do.
 */
export const imageProject = (
  { instance_info: info }: Pick<StoredNode, 'instance_info'>,
  { scope, project }: Subject,
): string | undefined => {
  const named = scope === 'system' ? info['project_id'] : project;
  return typeof named === 'string' && named !== '' ? named : undefined;
};

/** What changes on the node when a deploy is asked for. */
export const imagesOf = (node: StoredNode, subject: Subject): Noted => {
  const project = imageProject(node, subject);
  return project === undefined ? drop(node, 'image_project') : keep(node, { image_project: project });
};
