import { describe, expect, it } from 'vitest';

import type { Notes } from '../../../../layers/domain/notes.ts';
import { agentCalled, forgetAgent } from '../../../../workflows/owners/node/agent.ts';
import { aNode } from '../../nodes.ts';

describe('forgetAgent', () => {
  it('keeps what is true beyond one boot', () => {
    const driver_internal_info: Notes = {
      agent_url: 'https://10.0.0.9:9999',
      agent_verify_ca: 'PEM',
      agent_secret_token: '******',
      agent_version: '9',
      clean_steps: [],
    };
    const node = aNode({ driver_internal_info, agent_token_sha256: 'ab' });
    expect(agentCalled(node)).toBe(true);
    expect(forgetAgent(node)).toEqual({
      agent_token_sha256: null,
      driver_internal_info: { agent_version: '9', clean_steps: [] },
    });
  });
});
