import { expect, it } from 'vitest';

import { parseOptions } from '../../simulator/options.ts';

it('has defaults for everything', () => {
  expect(parseOptions([])).toEqual({
    machines: 3,
    port: 6386,
    controlPort: 6387,
    ownPorts: 0,
    stateDir: '.ingot/simulator',
    seed: 1,
    scale: 0.05,
    apiUrl: 'http://127.0.0.1:6385',
    profiles: ['plain'],
    withParent: false,
  });
});

it('reads what it is told', () => {
  const args = ['--machines', '1000', '--port=0', '--scale', '0.01', '--profiles', 'dell,hpe', '--with-parent'];
  expect(parseOptions(args)).toMatchObject({
    machines: 1000,
    port: 0,
    scale: 0.01,
    profiles: ['dell', 'hpe'],
    withParent: true,
  });
});

it.each([
  [['--machines', 'many'], '--machines'],
  [['--port', '70000'], '--port'],
  [['--scale', '0'], '--scale'],
  [['--profiles', 'dell,acme'], '--profiles'],
  [['--api-url', 'ftp://x'], '--api-url'],
  [['--colour', 'red'], '--colour'],
])('names the flag that is wrong in %j', (args, flag) => {
  expect(() => parseOptions(args)).toThrow(flag);
});
