/** The real chance. */
import type { Chance } from './platform.ts';

/** Numbers that nobody can foretell well; not for secrets. */
export const systemChance: Chance = { number: () => Math.random() };
