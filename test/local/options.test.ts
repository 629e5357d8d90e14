import { expect, it } from 'vitest';

import { helpText, readOptions } from '../../local/options.ts';

it('has a default for everything', () => {
  expect(readOptions([], {})).toEqual({
    port: 6385,
    'state-dir': '.ingot',
    events: '',
    machines: 3,
    'no-demo': false,
    once: false,
    'simulator-port': 0,
    'control-port': 0,
    profiles: 'plain',
    scale: 0.05,
    help: false,
  });
});

it('takes arguments before variables before defaults', () => {
  const env = { INGOT_PORT: '7000', INGOT_MACHINES: '0', INGOT_STATE_DIR: '/tmp/x', INGOT_DEMO: '0' };
  expect(readOptions(['--port', '7001', '--once'], env)).toMatchObject({
    port: 7001,
    machines: 0,
    'state-dir': '/tmp/x',
    'no-demo': true,
    once: true,
  });
  expect(readOptions(['--port=7002', '--scale', '0.01'], { INGOT_DEMO: '1' })).toMatchObject({
    port: 7002,
    scale: 0.01,
    'no-demo': false,
  });
});

it.each([
  [['--prot', '1'], {}, '--prot'],
  [['--port'], {}, '--port'],
  [['--port', 'http'], {}, '--port'],
  [['--port', '65536'], {}, '65535'],
  [['--machines', '1.5'], {}, '--machines'],
  [['--machines', ''], {}, '--machines'],
  [['--once=1'], {}, '--once'],
  [['start'], {}, 'start'],
  [['--profiles', 'dell, hpe'], {}, '--profiles'],
  [[], { INGOT_PORT: '-1' }, 'INGOT_PORT'],
  [[], { INGOT_DEMO: 'no' }, 'INGOT_DEMO'],
  [[], { INGOT_STATE_DIR: '' }, 'INGOT_STATE_DIR'],
] as [string[], Record<string, string>, string][])('refuses %j %j in a sentence that names %s', (args, env, named) => {
  let message = '';
  try {
    readOptions(args, env);
  } catch (error) {
    message = (error as Error).message;
  }
  expect(message).toContain(named);
  expect(message.split('\n')).toHaveLength(1);
});

it('explains each option', () => {
  for (const name of Object.keys(readOptions([], {}))) expect(helpText()).toContain(`--${name}`);
});
