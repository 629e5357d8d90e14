/** Every workflow with its phases; the names are those of `workflows/<name>.asl.json` and its Task states. */
import type { Phases } from '../phase.ts';
import { clean } from './clean.ts';
import { deploy } from './deploy.ts';
import { power } from './power.ts';
import { undeploy } from './undeploy.ts';
import { verify } from './verify.ts';

export const workflows = { verify, clean, deploy, undeploy, power } as const satisfies Record<string, Phases>;

export type WorkflowName = keyof typeof workflows;

export const isWorkflow = (name: string | null): name is WorkflowName =>
  name !== null && Object.hasOwn(workflows, name);
