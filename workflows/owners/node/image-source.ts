/** Where the image of an instance comes from: a URL that somebody wrote, or an image of the Image API. */
import { wayOf } from '../../../layers/domain/deploy-plan.ts';
import { checkGlanceImage, withImage } from '../../../layers/domain/glance-image.ts';
import { checkImage, imageIdOf } from '../../../layers/domain/instance-image.ts';
import type { ImageClient } from '../../../layers/image-client/client.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';

/** The image of the Image API that a deploy of the node writes; undefined: it is at a URL, or there is none. */
export const imageOf = (node: StoredNode): string | undefined =>
  wayOf(node) === 'direct' ? imageIdOf(node.instance_info['image_source']) : undefined;

/**
 * The node with an instance_info as if somebody had written there what its image is and where it can be fetched from;
 * one without an image of the Image API is left as it is. `project`: which has to see the image, if any has to. It holds a
 * secret, so nothing of it is ever stored. Throws NotFound (404), Invalid (400), Unavailable (503).
 */
export const withSource = async (
  images: ImageClient,
  node: StoredNode,
  project: string | undefined,
): Promise<StoredNode> => {
  const id = imageOf(node);
  if (id === undefined) return node;
  const found = await images.find(id, project);
  checkGlanceImage(found, node.properties);
  const sourced = { ...node, instance_info: withImage(node.instance_info, found) };
  checkImage(sourced.instance_info);
  return sourced;
};
