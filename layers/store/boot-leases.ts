/** Who builds a boot image, so that of all who need the same one only one fetches what it is made of. */
import type { Platform } from '../platform/platform.ts';
import { absent, below, equals, isConditionFailed, type Key, type Write } from '../platform/table.ts';

type Needs = Pick<Platform, 'table' | 'clock'>;

/** Longer than a call of the function that builds, ms. Whoever holds one longer has died. */
const lease = 150_000;

const keyOf = (image: string): Key => ({ pk: 'boot-image', sk: image });

const written = async ({ table }: Needs, write: Write): Promise<boolean> => {
  try {
    await table.write([write]);
    return true;
  } catch (error) {
    if (isConditionFailed(error)) return false;
    throw error;
  }
};

/** Whether `holder` may build the image now. */
export const takeLease = async (needs: Needs, image: string, holder: string): Promise<boolean> => {
  const now = needs.clock.now();
  const values = { holder, until: now + lease };
  const first = await written(needs, { put: { ...keyOf(image), ...values }, when: [absent] });
  return first || written(needs, { update: keyOf(image), set: values, when: [below('until', now)] });
};

/** Others may build. One that somebody else has by now is left alone. */
export const endLease = async (needs: Needs, image: string, holder: string): Promise<void> => {
  await written(needs, { delete: keyOf(image), when: [equals('holder', holder)] });
};
