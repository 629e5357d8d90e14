/** Tasks of the TaskService: what a BMC answers 202 to. A task is done when its time has come. */
import type { Fault } from '../../layers/domain/fault.ts';
import type { Answer } from '../http.ts';
import type { Job } from '../machine.ts';
import { collection, errorAnswer, link, refusal, type Act, type Call, type View } from './call.ts';

const kept = 20;

const find = ({ machine, params }: Call): Job => {
  const job = machine.jobs.find(({ id }) => id === params['job']);
  if (!job) throw refusal('Base.1.16.ResourceMissingAtURI');
  return job;
};

/** Seconds until a task of the fault task_fails has failed. */
const failsAfter = 2;

/** Of the fault task_stuck; the number has to survive JSON. */
const never = Number.MAX_SAFE_INTEGER;

const whyFailed = (): Fault => refusal('Base.1.16.InternalError', '(fault task_fails)');

const isDone = ({ world }: Call, job: Job): boolean => job.done_at <= world.clock.now();

const pathOf = ({ id }: Job): string => `/TaskService/Tasks/${id}`;

const stateOf = (call: Call, job: Job): string => {
  if (!isDone(call, job)) return 'Running';
  return job.failed ? 'Exception' : 'Completed';
};

const describe = (call: Call, job: Job): Record<string, unknown> => ({
  '@odata.type': '#Task.v1_7_3.Task',
  Id: job.id,
  Name: job.name,
  TaskState: stateOf(call, job),
  TaskStatus: job.failed ? 'Critical' : 'OK',
  PercentComplete: isDone(call, job) ? 100 : 50,
  TaskMonitor: link(call.machine, `${pathOf(job)}/Monitor`)['@odata.id'],
  Messages: job.failed && isDone(call, job) ? [{ MessageId: whyFailed().name, Message: whyFailed().message }] : [],
});

const accepted = (call: Call, job: Job): Answer => ({
  status: 202,
  headers: {
    'odata-version': '4.0',
    location: link(call.machine, `${pathOf(job)}/Monitor`)['@odata.id'],
    'retry-after': '1',
  },
  body: { ...link(call.machine, pathOf(job)), ...describe(call, job) },
});

/** Starts a task that is done at `doneAt` and answers 202 with its monitor. */
export const addJob = (call: Call, name: string, doneAt: number, failed = false): Answer => {
  const { world, machine } = call;
  const id = String(Number(machine.jobs.at(-1)?.id ?? 0) + 1);
  const job: Job = { id, name, done_at: doneAt, ...(failed && { failed }) };
  machine.jobs = [...machine.jobs, job].slice(-kept);
  world.changed(machine);
  return accepted(call, job);
};

/** What becomes a task, unless a fault is about it: `work` begins it and tells when it is done. */
export const runAsTask = async (call: Call, name: string, work: () => Promise<number> | number): Promise<Answer> => {
  const { world, machine } = call;
  if (world.faults.strikes('task_stuck', machine)) return addJob(call, name, never);
  if (!world.faults.strikes('task_fails', machine)) return addJob(call, name, await work());
  return addJob(call, name, world.clock.now() + failsAfter * 1000 * world.scale, true);
};

/** The TaskService resource. */
export const jobService: View = ({ machine }) => ({
  '@odata.type': '#TaskService.v1_2_1.TaskService',
  Id: 'TaskService',
  Name: 'Task Service',
  ServiceEnabled: true,
  Tasks: link(machine, '/TaskService/Tasks'),
});

/** The collection of tasks. */
export const jobs: View = ({ machine }) => collection(machine, 'TaskCollection', 'Tasks', machine.jobs.map(pathOf));

/** One task; 404 for one that was never there or is forgotten. */
export const job: View = (call) => describe(call, find(call));

/** The task monitor: 202 while the task runs, the outcome of the operation after that. */
export const monitor: Act = (call) => {
  const found = find(call);
  if (!isDone(call, found)) return accepted(call, found);
  return found.failed ? errorAnswer(whyFailed()) : { status: 204, headers: { 'odata-version': '4.0' } };
};
