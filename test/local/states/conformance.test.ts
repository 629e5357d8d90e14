import { callback, describeRuns, describeWorkflows, type Subject } from '../../conformance/workflows.ts';
import { createMemoryWorkflows } from '../../../layers/platform/memory/workflows.ts';
import { createWorld } from './world.ts';

const recorder = async (): Promise<Subject> => {
  const workflows = createMemoryWorkflows({ anyToken: false });
  return { workflows, token: async () => workflows.issue(), close: async () => {} };
};

const interpreter = async (): Promise<Subject> => {
  const { states, calls } = await createWorld({ machines: { callback }, script: { ask: () => null } });
  const token = async (name: string) => {
    await states.idle();
    const asked = calls.map(({ payload }) => payload as { run: string; token: string });
    return asked.find(({ run }) => run === name)!.token;
  };
  return { workflows: states, token, close: states.close };
};

describeWorkflows('the recorder of the tests', recorder);
describeWorkflows('the interpreter', interpreter);
describeRuns('the interpreter', interpreter);
