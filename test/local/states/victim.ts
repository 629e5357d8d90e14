/** A process that `thread.test.ts` kills: it starts executions and tells the token of the first one. */
import { startStates } from '../../../local/states/start.ts';

const options = JSON.parse(process.argv[2]!) as Parameters<typeof startStates>[0];
const token = Promise.withResolvers<string>();

const { states } = await startStates({
  ...options,
  functions: {
    invoke: async (name, payload) => {
      if (name === 'ask') token.resolve((payload as { token: string }).token);
      return 'of the victim';
    },
  },
  onExit: (error) => {
    throw error;
  },
});

await states.start('machine', 'x', {});
const first = await token.promise;
await Promise.all(Array.from({ length: 100 }, async (_, index) => states.start('machine', `n${index}`, {})));
process.send!(first);
