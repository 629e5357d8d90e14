/** Starting and stopping runs that are recorded with their owner already: by a request, an event, a run before them. */
import type { Platform } from '../../layers/platform/platform.ts';

type Needs = Pick<Platform, 'workflows' | 'log'>;

/**
 * Starts the run that the record of its owner names. By then what it was begun for is decided: should the start fail, the
 * record stands, and the keeper of such runs (`sync`, `server-sync`) starts the same one by its name, so the failure is
 * logged only. If the execution has ended already, the keeper was faster and all is done, or it fails the owner with what
 * it ended with.
 */
export const startRun = async (
  { workflows, log }: Needs,
  workflow: string,
  run: string,
  input: Readonly<Record<string, unknown>>,
): Promise<void> => {
  try {
    const start = await workflows.start(workflow, run, input);
    if (start === 'ended')
      log.warn('A run had ended when it was to be started; sync looks after it.', { workflow, run });
  } catch (error) {
    log.warn('A run was not started, sync will do it.', { workflow, run, error });
  }
};

/** Stops a run that has lost its owner. It would end by itself at its next phase, so a failure is logged only. */
export const stopRun = async (
  { workflows, log }: Needs,
  workflow: string | null,
  run: string | null,
  cause: string,
): Promise<void> => {
  if (workflow === null || run === null) return;
  await workflows
    .stop(workflow, run, 'Superseded', cause)
    .catch((error: unknown) => log.warn('A superseded run was not stopped.', { workflow, run, error }));
};
