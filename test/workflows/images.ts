/** The Image API beside a staged machine, whose agents fetch from the objects of both. */
import { expect } from 'vitest';

import { createMemoryPlatform } from '../../layers/platform/memory/platform.ts';
import { createFront } from '../functions/image-api/front.ts';
import type { Stage } from './stage.ts';

/** Serves it, and answers how to ask it; `uploaded` makes an image of project red that has data. */
export const serveImages = ({ world }: Stage) => {
  const { objects, clock } = world;
  const front = createFront({}, { ...createMemoryPlatform(), objects, clock: clock as never });
  world.apis.served.image = front.app;
  const uploaded = async (given: object = {}, body = 'a disk'): Promise<string> => {
    const id = await front.make({ disk_format: 'raw', ...given });
    expect((await front.request(`PUT /v2/images/${id}/file`, { body })).status).toBe(204);
    return id;
  };
  return { ask: front.request, uploaded };
};
