/** The loop that clean, service and deploy have in common: which steps the agent has, and one step after the other. */
import { asOffered, nameOf, needAgent, placeOf } from '../../../layers/domain/machine-steps.ts';
import type { PlannedStep } from '../../../layers/domain/steps.ts';
import type { AgentStep } from '../../../layers/bmc/operations.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { finish } from '../../../layers/store/reservation.ts';
import { agentCalled, agentIsAtIt } from './agent.ts';
import { type Go, goOn } from './own-steps.ts';
import { answer, done, type Outcome, type Phase, type PhaseContext } from './phase.ts';
import {
  bootsOf,
  currentStep,
  keepOffer,
  offForRamdisk,
  planOf,
  replaceSteps,
  setStage,
  showStep,
  stepEnded,
  type StepKind,
  wantsReboot,
} from './plan.ts';
import * as boot from './boot.ts';

/** What the Choice after a step reads; `is` names the next thing to do. A step may also hold the node. */
type Next<W extends string> = (node: StoredNode) => { readonly is: W };
type StepAnswers<W extends string> = { readonly is: readonly (W | 'hold')[] };

/** A step that asked for a reboot has its wish; the plan goes on with the next one. */
export const powerOffForRamdisk = (kind: StepKind): Phase => ({
  run: async (context) => {
    await boot.powerOff.run(context);
    return done(offForRamdisk(kind));
  },
});

/** What the agent said it can do. */
export const offersOf = async ({ hardware }: PhaseContext, kind: StepKind) => {
  const observed = await hardware.ask('agent.steps', { kind });
  return { asked: observed !== undefined, steps: observed?.steps ?? [], versions: observed?.hardware_manager_version };
};

/** The steps from `index` on that are the agent's, as it offers them. Throws Invalid for one that it does not. */
const withOffers = (
  node: StoredNode,
  steps: readonly PlannedStep[],
  index: number,
  offers: readonly AgentStep[],
): PlannedStep[] =>
  steps.map((step, at) => (at >= index && placeOf(node, step) === 'agent' ? asOffered(step, offers) : step));

/** The steps of the request, checked by the agent that shall do them. */
export const collectAskedSteps = (kind: StepKind): Phase => ({
  run: async (context) => {
    const { steps: offers, versions } = await offersOf(context, kind);
    const plan = planOf(context.node, kind);
    const steps = plan && withOffers(context.node, plan.steps, plan.index, offers);
    return done((node) => keepOffer(steps ? replaceSteps(node, kind, steps) : node, kind, offers, versions ?? {}));
  },
});

/**
 * `next`: another step; `reboot`: the ramdisk first; at the end `done` if there is a ramdisk to leave, else `finish`.
 */
const stepWords = ['next', 'reboot', 'done', 'finish'] as const;

const nextOf =
  (kind: StepKind): Next<(typeof stepWords)[number]> =>
  (node) => {
    if (wantsReboot(node, kind)) return { is: 'reboot' };
    const step = currentStep(node, kind);
    if (step) return { is: needAgent(node, [step]) && !agentCalled(node) ? 'reboot' : 'next' };
    return { is: bootsOf(node) > 0 ? 'done' : 'finish' };
  };

const outcomeOf = <W extends string>(
  { node }: PhaseContext,
  kind: StepKind,
  index: number,
  go: Go,
  next: Next<W>,
): Outcome<StepAnswers<W>> => {
  if (go.is === 'heartbeat') return { is: 'wait', came: ({ revision }) => revision !== node.revision };
  if (go.is === 'hold') {
    // The run ends here and another one goes on after `unhold`: a hold may last for months.
    return answer({ is: 'hold' }, (fresh) => ({ ...stepEnded(fresh, kind, index), ...finish(fresh, 'hold') }));
  }
  const change = (fresh: StoredNode): Partial<StoredNode> => {
    const changed = { ...fresh, ...go.change?.(fresh) };
    const progress = go.is === 'ended' ? stepEnded(changed, kind, index) : setStage(changed, kind, go.stage, go.reboot);
    return { ...go.change?.(fresh), ...progress };
  };
  const events = go.is === 'ended' && go.events;
  return answer(next({ ...node, ...change(node) }), change, events ? { events } : {});
};

/** Started, or asked how it stands; at each call of the agent until it has ended. */
const runInAgent = async <W extends string>(
  { hardware, node }: PhaseContext,
  kind: StepKind,
  step: PlannedStep,
  index: number,
  next: Next<W>,
): Promise<Outcome<StepAnswers<W>>> => {
  const over = await hardware.step(kind, step);
  if (!over) return { is: 'wait', came: ({ revision }) => revision !== node.revision };
  const change = (fresh: StoredNode) => stepEnded(fresh, kind, index, step.reboot_requested);
  return answer(next({ ...node, ...change(node) }), change);
};

/** One step of the plan, wherever it is carried out. Repeated until no step is left. `words`: all that `next` may say. */
export const runStepThen = <W extends string>(
  kind: StepKind,
  words: readonly W[],
  next: Next<W>,
): Phase<StepAnswers<W>> => ({
  answers: { is: [...words, 'hold'] },
  shows: showStep(kind),
  piece: (node) => {
    const step = currentStep(node, kind);
    return step && nameOf(step);
  },
  rests: async (node, hardware) => {
    const step = currentStep(node, kind);
    return step !== undefined && placeOf(node, step) === 'agent' && agentIsAtIt(hardware);
  },
  run: async (context) => {
    const { node } = context;
    const plan = planOf(node, kind);
    const step = currentStep(node, kind);
    const { is } = next(node);
    if (!plan || !step || (is !== 'next' && is !== 'step')) return answer({ is });
    const place = placeOf(node, step);
    if (place === 'agent') return runInAgent(context, kind, step, plan.index, next);
    const go: Go = place === 'fake' ? { is: 'ended' } : await goOn(context, step);
    return outcomeOf(context, kind, plan.index, go, next);
  },
});

/** The same of clean and service, where the steps of the plan are all there is to do. */
export const runStep = (kind: StepKind) => runStepThen(kind, stepWords, nextOf(kind));
