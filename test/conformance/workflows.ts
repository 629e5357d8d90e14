/**
 * What every implementation of the `Workflows` port does. `make` gives an implementation that knows a workflow
 * `callback`, which waits for one token and ends with what the token brings; see `callback` below for its machine.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Execution, Workflows } from '../../layers/platform/workflows.ts';

export type Subject = {
  readonly workflows: Workflows;
  /** The token that the running execution of `callback` waits for. */
  token(name: string): Promise<string>;
  close(): Promise<void>;
};

/** The machine behind `callback`, for implementations that call functions. `ask` gets the token. */
export const callback = {
  QueryLanguage: 'JSONata',
  StartAt: 'Ask',
  States: {
    Ask: {
      Type: 'Task',
      Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
      Arguments: {
        FunctionName: 'ask',
        Payload: { run: '{% $states.context.Execution.Name %}', token: '{% $states.context.Task.Token %}' },
      },
      TimeoutSeconds: 600,
      HeartbeatSeconds: 300,
      End: true,
    },
  },
} as const;

/** AWS keeps names for 90 days. */
const unique = (name: string) => `${name}-${process.pid}-${Date.now()}`;

const ended = async (workflows: Workflows, name: string): Promise<Execution> => {
  for (let tries = 0; tries < 400; tries += 1) {
    const execution = await workflows.describe('callback', name);
    if (execution && execution.status !== 'RUNNING') return execution;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`The execution ${name} did not end.`);
};

/** Declares the tests that every implementation passes, a recorder that runs nothing too. */
export const describeWorkflows = (title: string, make: () => Promise<Subject>): void => {
  describe(`Workflows: ${title}`, () => {
    let subject: Subject;
    let workflows: Workflows;

    beforeAll(async () => {
      subject = await make();
      ({ workflows } = subject);
    });
    afterAll(async () => subject.close());

    const start = async (what: string) => {
      const name = unique(what);
      expect(await workflows.start('callback', name, { node: what })).toBe('running');
      return name;
    };
    const types = async (name: string) => (await workflows.history('callback', name)).map(({ type }) => type);

    it('starts an execution', async () => {
      const name = await start('start');
      expect(await workflows.describe('callback', name)).toMatchObject({
        workflow: 'callback',
        name,
        status: 'RUNNING',
        started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
      });
      const [first] = await workflows.history('callback', name);
      expect(first).toMatchObject({ id: 1, type: 'ExecutionStarted' });
    });

    it('takes a second start of the same name for the same execution', async () => {
      const name = await start('twice');
      expect(await workflows.start('callback', name, { node: 'twice' })).toBe('running');
      expect((await types(name)).filter((type) => type === 'ExecutionStarted')).toHaveLength(1);
    });

    it('takes simultaneous starts of the same name for the same execution', async () => {
      const name = unique('race');
      const five = Array.from({ length: 5 }, async () => workflows.start('callback', name, { node: 'race' }));
      expect(new Set(await Promise.all(five))).toEqual(new Set(['running']));
      expect((await types(name)).filter((type) => type === 'ExecutionStarted')).toHaveLength(1);
    });

    it('does not start a name again after it ended, and says so', async () => {
      const name = await start('again');
      await workflows.stop('callback', name, 'Stopped', 'by the test');
      expect(await workflows.start('callback', name, { node: 'again' })).toBe('ended');
      expect(await workflows.start('callback', name, { node: 'another' })).toBe('ended');
      expect(await workflows.describe('callback', name)).toMatchObject({ status: 'ABORTED' });
    });

    it('knows nothing of an execution that was never started', async () => {
      const name = unique('never');
      expect(await workflows.describe('callback', name)).toBeUndefined();
      expect(await workflows.history('callback', name)).toEqual([]);
      await expect(workflows.stop('callback', name, 'Stopped', 'by the test')).resolves.toBeUndefined();
    });

    it('stops an execution, once', async () => {
      const name = await start('stop');
      await workflows.stop('callback', name, 'Stopped', 'by the test');
      const first = await ended(workflows, name);
      expect(first).toMatchObject({ status: 'ABORTED', error: 'Stopped', cause: 'by the test' });
      await workflows.stop('callback', name, 'Other', 'too late');
      expect(await workflows.describe('callback', name)).toEqual(first);
      expect((await types(name)).at(-1)).toBe('ExecutionAborted');
    });

    it('delivers to a token once', async () => {
      const token = await subject.token(await start('once'));
      expect(await workflows.heartbeat(token)).toBe('delivered');
      expect(await workflows.succeed(token, { done: true })).toBe('delivered');
      expect(await workflows.succeed(token, { done: true })).toBe('gone');
      expect(await workflows.fail(token, 'Late', '')).toBe('gone');
      expect(await workflows.heartbeat(token)).toBe('gone');
    });

    it('counts heartbeats as no delivery', async () => {
      const token = await subject.token(await start('beats'));
      expect(await workflows.heartbeat(token)).toBe('delivered');
      expect(await workflows.heartbeat(token)).toBe('delivered');
      expect(await workflows.fail(token, 'Done', '')).toBe('delivered');
    });

    it('numbers the history from one, oldest first', async () => {
      const history = await workflows.history('callback', await start('history'));
      expect(history.map(({ id }) => id)).toEqual(history.map((_, index) => index + 1));
      expect(history.map(({ at }) => at)).toEqual(history.map(({ at }) => at).toSorted());
    });
  });
};

/** Declares the tests of what only an implementation that runs state machines can do. */
export const describeRuns = (title: string, make: () => Promise<Subject>): void => {
  describe(`Workflows that run: ${title}`, () => {
    let subject: Subject;
    let workflows: Workflows;

    beforeAll(async () => {
      subject = await make();
      ({ workflows } = subject);
    });
    afterAll(async () => subject.close());

    const start = async (what: string) => {
      const name = unique(what);
      await workflows.start('callback', name, { node: what });
      return { name, token: await subject.token(name) };
    };

    it('lets a stopped execution forget its token', async () => {
      const { name, token } = await start('forget');
      await workflows.stop('callback', name, 'Stopped', '');
      expect(await workflows.succeed(token, {})).toBe('gone');
    });

    it('succeeds when its token does', async () => {
      const { name, token } = await start('well');
      await workflows.succeed(token, { is: 'heartbeat' });
      expect(await ended(workflows, name)).toMatchObject({ status: 'SUCCEEDED' });
    });

    it('fails as its token fails', async () => {
      const { name, token } = await start('badly');
      await workflows.fail(token, 'Broken', 'It broke.');
      expect(await ended(workflows, name)).toMatchObject({ status: 'FAILED', error: 'Broken', cause: 'It broke.' });
    });

    it('tells in its history which states it went through', async () => {
      const { name, token } = await start('states');
      await workflows.succeed(token, {});
      await ended(workflows, name);
      expect(await workflows.history('callback', name)).toMatchObject([
        { type: 'ExecutionStarted' },
        { type: 'TaskStateEntered', state: 'Ask' },
        { type: 'TaskScheduled', state: 'Ask' },
        { type: 'TaskStarted', state: 'Ask' },
        { type: 'TaskSubmitted', state: 'Ask' },
        { type: 'TaskSucceeded', state: 'Ask' },
        { type: 'TaskStateExited', state: 'Ask' },
        { type: 'ExecutionSucceeded' },
      ]);
    });
  });
};
