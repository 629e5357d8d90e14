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
  /** One whose data is at a URL, and hashes to what its owner says. */
  const located = async (url: string, os_hash_value: string): Promise<string> => {
    const id = await front.make({ disk_format: 'raw', container_format: 'bare' });
    const body = { url, validation_data: { os_hash_algo: 'sha256', os_hash_value } };
    expect((await front.request(`POST /v2/images/${id}/locations`, { body })).status).toBe(202);
    return id;
  };
  return { ask: front.request, uploaded, located };
};
