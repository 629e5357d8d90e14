/** The metrics that Ingot emits; functions emit them and the alarms of infra/ name them from here. */
export const namespace = 'Ingot';

/** What those who look after runs could not help; `service` is the one dimension, the function that emits it. */
export const stuckNodes = { name: 'StuckNodes', service: 'sync' } as const;
export const stuckServers = { name: 'StuckServers', service: 'server-sync' } as const;

/** Lines that a function logged as errors: what nobody expects. Refused passwords, busy BMCs and wrong requests are none. */
export const unexpectedErrors = (service: string) => ({ name: 'UnexpectedErrors', service }) as const;

/** Changes of nodes of which `events` could make no event. */
export const unreadableChanges = { name: 'UnreadableChanges', service: 'events' } as const;
