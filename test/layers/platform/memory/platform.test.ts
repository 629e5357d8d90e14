import { describe, expect, it } from 'vitest';

import { createVirtualClock } from '../../../../layers/platform/memory/clock.ts';
import { createMemoryPlatform } from '../../../../layers/platform/memory/platform.ts';

describe('the fake clock', () => {
  it('wakes sleepers in the order of their times, and is at their time then', async () => {
    const clock = createVirtualClock({ start: 0 });
    const woken: [string, number][] = [];
    const sleep = async (name: string, ms: number) => {
      await clock.sleep(ms);
      woken.push([name, clock.now()]);
    };
    await Promise.all([sleep('late', 500), sleep('soon', 10), sleep('middle', 100)]);
    expect(woken).toEqual([
      ['soon', 10],
      ['middle', 100],
      ['late', 500],
    ]);
  });

  it('waits for the test when it is a manual one', async () => {
    const clock = createVirtualClock({ start: 0, manual: true });
    let awake = false;
    const sleep = async () => {
      await clock.sleep(100);
      awake = true;
    };
    const asleep = sleep();
    clock.advance(99);
    await new Promise(setImmediate);
    expect(awake).toBe(false);
    clock.advance(1);
    await asleep;
    expect(clock.now()).toBe(100);
  });
});

describe('the fake functions', () => {
  it('pass payloads and answers through JSON and keep the calls', async () => {
    const { functions } = createMemoryPlatform({
      handlers: { echo: (payload: object) => ({ ...payload, gone: undefined }) },
    });
    expect(await functions.invoke('echo', { at: new Date(0), no: undefined })).toEqual({
      at: '1970-01-01T00:00:00.000Z',
    });
    expect(functions.calls).toEqual([{ name: 'echo', payload: { at: '1970-01-01T00:00:00.000Z' } }]);
  });

  it('fail as a function on Lambda does', async () => {
    const { functions } = createMemoryPlatform();
    functions.handlers['fails'] = () => {
      throw new TypeError('broken');
    };
    await expect(functions.invoke('fails', {})).rejects.toMatchObject({
      name: 'TypeError',
      message: 'broken',
      code: 500,
    });
    await expect(functions.invoke('none', {})).rejects.toMatchObject({ name: 'FunctionUnknown' });
  });
});
