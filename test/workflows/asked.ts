/** What PUT states/provision leaves on a node that is asked for steps, and how its run is started. */
import type { ProvisionState } from '../../layers/domain/baremetal/transitions.ts';
import type { PlannedStep, StepInterface } from '../../layers/domain/steps.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { begin, proceed } from '../../layers/store/reservation.ts';
import { abortRun } from '../../functions/baremetal-api/node/abort.ts';
import { setPlan, type StepKind } from '../../workflows/owners/node/plan.ts';
import { createAgent } from './agent.ts';
import { aNode } from './nodes.ts';
import { createStage, type Stage } from './stage.ts';

/** A step of a request: `deploy.erase_devices`. */
export const step = (name: string, args: object = {}, more: Partial<PlannedStep> = {}): PlannedStep => {
  const [of, what] = name.split('.') as [StepInterface, string];
  return { interface: of, step: what, args: { ...args }, ...more };
};

const ways = {
  clean: { from: 'manageable', target: { target: 'manageable' } },
  service: { from: 'active', target: {} },
} as const;

/** A stage whose node is asked for these steps, with its agent. */
export const asked = async (
  kind: keyof typeof ways,
  steps: readonly PlannedStep[],
  more: Partial<StoredNode> = {},
  script: (stage: Stage) => void = () => {},
) => {
  const { from, target } = ways[kind];
  const stage = await createStage({ node: aNode({ provision_state: from as ProvisionState, ...more }) });
  if (kind === 'service') stage.machine.power = 'power on';
  script(stage);
  const run = await stage.take(kind, (node) => ({
    ...begin(node, stage.world.ids.ulid(), kind, kind, target),
    ...setPlan(node, kind, steps),
  }));
  await stage.settle();
  return { stage, agent: createAgent(stage), run };
};

/** `unhold`. */
export const goOn = async (stage: Stage, kind: StepKind): Promise<string> => {
  const run = await stage.take(kind, (node) => proceed(node, stage.world.ids.ulid(), kind, 'unhold'));
  await stage.settle();
  return run;
};

/** `abort` of a service. */
export const abort = async (stage: Stage): Promise<string> => {
  const run = await stage.take('service', (node) => abortRun(node, stage.world.ids.ulid()).set!);
  await stage.settle(60);
  return run;
};

/** The steps that the agent was asked for, each as often as it was asked how it stands. */
export const stepsRun = (stage: Stage): string[] =>
  stage.proxy.requests
    .filter(({ op }) => op === 'agent.execute')
    .map(({ params }) => (params as { step: { step: string } }).step.step);

export type ImageArgs = {
  readonly image_info: Readonly<Record<string, unknown>> & { readonly urls: readonly string[] };
  readonly configdrive: string;
};

/** What the agent was given to write, each time that it was. */
export const imageArgs = ({ proxy }: Pick<Stage, 'proxy'>): ImageArgs[] =>
  proxy.requests.flatMap(({ op, params }) => {
    const { step } = params as { step?: { step: string; args?: ImageArgs } };
    return op === 'agent.execute' && step?.step === 'write_image' && step.args ? [step.args] : [];
  });

/** What the BMC was asked for, in order. */
export const operations = (stage: Stage): string[] => stage.proxy.requests.map(({ op }) => op);
