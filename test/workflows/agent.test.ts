import { describe, expect, it } from 'vitest';

import type { Notes } from '../../layers/domain/notes.ts';
import { agentCalled, forgetAgent, plainText } from '../../workflows/agent.ts';
import { aNode } from './nodes.ts';

describe('plainText', () => {
  it.each([
    ['https://u:p@host/a.iso?sig=1 failed', 'https://host/a.iso failed'],
    ['URL "http://10.0.0.1:80/x?token=abc#y": 404', 'URL "http://10.0.0.1:80/x": 404'],
    ['nothing to hide? no', 'nothing to hide? no'],
    ['(https://a.test/?x=1)', '(https://a.test/'],
    ['two http://a/?1 and http://b/?2', 'two http://a/ and http://b/'],
  ])('%s', (text, plain) => {
    expect(plainText(text)).toBe(plain);
  });
});

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
