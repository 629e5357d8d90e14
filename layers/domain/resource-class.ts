/** Resource classes: nodes have a free text, flavors ask for the name that Placement makes of it (exact-filters.md 5). */

/** What a flavor asks a node of this class by: `baremetal.with-GPU` is CUSTOM_BAREMETAL_WITH_GPU. */
export const placementClass = (name: string): string => `CUSTOM_${name.toUpperCase().replaceAll(/[^0-9A-Z]+/g, '_')}`;
