/** The metrics that Ingot emits; functions emit them and the alarms of infra/ name them from here. */
export const namespace = 'Ingot';

/** What functions that look after runs could not help, by the function that emits it, which is the one dimension. */
export const stuck = {
  sync: { name: 'StuckNodes', doc: 'sync found nodes without an execution and could not help them: see its log for their UUIDs.' },
  'server-sync': {
    name: 'StuckServers',
    doc: 'server-sync found servers without an execution and could not help them: see its log for their UUIDs.',
  },
} as const;
