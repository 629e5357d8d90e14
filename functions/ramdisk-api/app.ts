/**
 * Lookup, heartbeat and inventories of deploy agents (ironic-deploy.md 3). Nobody authenticates here: what a caller may
 * do follows from its address, from the state of the node and from the token of its agent (ADR 9).
 */
import { Forbidden } from '../../layers/domain/fault.ts';
import { type Admit, nobody } from '../../layers/http/admission.ts';
import { serve, type Serve } from '../../layers/http/pipeline.ts';
import { ironicOfAgents } from '../../layers/http/protocols/ironic.ts';
import type { Config } from './config.ts';
import type { Deps } from './route.ts';
import { routes } from './routes.ts';
import { createWitness } from './witness.ts';

/** Before anything is read or parsed. API Gateway's resource policy refuses the same (infra/api.ts). Throws Forbidden. */
const admit: Admit<Deps, 'agent_networks'> = ({ config, log }, _row, { source, path }) => {
  if (config.networks.allows(source)) return { subject: nobody, only: null };
  log.warn('Somebody outside of agent_networks was refused.', { source, path });
  throw Forbidden('Agents may not call from this address; the setting agent_networks lists where they may be.');
};

/** Makes the function. Every answer has Ironic's version headers; it never throws. */
export const create = (platform: Omit<Deps, 'config' | 'witness'>, config: Config): Serve =>
  serve(
    { protocol: ironicOfAgents, routes, admit, publicEndpoint: config.publicEndpoint },
    { ...platform, config, witness: createWitness(platform) },
  );
