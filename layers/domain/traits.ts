/** The names of traits (ironic-api.md 2.1): of nodes, of runbooks, of deploy templates that apply by name. */
import * as z from 'zod';

import { Invalid } from './fault.ts';

/**
 * Custom traits, and the namespaces of the standard ones. Their list grows with each OpenStack release, so the
 * namespace is checked and not the name.
 */
export const trait = z
  .string()
  .max(255)
  .regex(/^(?:CUSTOM|HW|COMPUTE|MISC|STORAGE|OWNER)_[A-Z0-9_]+$/, {
    error: 'must be a trait: a standard name or CUSTOM_ with capital letters, digits and _',
  });

/** Throws Invalid (400) for what is not the name of a trait. */
export const checkTrait = (name: string): void => {
  if (trait.safeParse(name).success) return;
  throw Invalid(
    `"${name.slice(0, 255)}" is not a trait: a standard name or CUSTOM_ with capital letters, digits and _.`,
  );
};

/** Most traits of one node or runbook: Ironic's limit. */
export const maxTraits = 50;
