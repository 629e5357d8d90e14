/** The metrics that Ingot emits; functions emit them and the alarms of infra/ name them from here. */
export const namespace = 'Ingot';

/** Nodes that `sync` could not help. `service` is the one dimension, the function that emits it. */
export const stuckNodes = { name: 'StuckNodes', service: 'sync' } as const;

/** Changes of nodes of which `events` could make no event. */
export const unreadableChanges = { name: 'UnreadableChanges', service: 'events' } as const;
