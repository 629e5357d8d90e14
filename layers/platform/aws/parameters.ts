/**
 * SSM's parameters. Apart from platform.ts: the authorizer needs nothing else of AWS, and the client of the
 * table, which that file brings along, would double what it loads at a cold start.
 */
import type { ParameterStore } from '../platform.ts';
import { siteOf } from './client.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The client is loaded by the first call. INGOT_SSM_ENDPOINT: another server of the same API. */
export const awsParameters = (env: Environment): ParameterStore => {
  let opened: Promise<ParameterStore> | undefined;
  const open = async (): Promise<ParameterStore> => {
    const { createAwsParameters } = await import('./ssm.ts');
    return createAwsParameters({ site: siteOf(env, 'SSM') });
  };
  const once = async () => (opened ??= open());
  return {
    read: async (name) => (await once()).read(name),
    find: async (name) => (await once()).find(name),
  };
};
