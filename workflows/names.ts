/** The workflows that nodes go through. The phases of each are in `steps/`, its states in `<name>.asl.json`. */
const workflowNames = [
  'verify',
  'clean',
  'deploy',
  'undeploy',
  'service',
  'inspect',
  'adopt',
  'rescue',
  'unrescue',
  'power',
  'management',
] as const;

export type WorkflowName = (typeof workflowNames)[number];

/** Whether a name, such as `run_workflow` of a node, is that of a workflow. */
export const isWorkflow = (name: string | null): name is WorkflowName =>
  (workflowNames as readonly (string | null)[]).includes(name);
