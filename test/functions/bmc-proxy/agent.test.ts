import { describe, expect, it } from 'vitest';

import type { Scripted, Seen } from '../../fakes/bmc.ts';
import { sealParts } from '../../../layers/bmc/sealed-parts.ts';
import { rescuePasswordWrite } from '../../../layers/store/rescue-passwords.ts';
import { enrol, uuid, type Options } from './fixture.ts';

type Command = Record<string, unknown> & { id: string; command_name: string; command_status: string };

/** The command API of IPA, as far as the proxy uses it, served beside the BMC. */
const withAgent = async (options?: Options) => {
  const machine = await enrol(options);
  const commands: Command[] = [];
  const results: Record<string, unknown> = {};
  const agent = { commands, results, asynchronous: /execute_|power_off|install_bootloader/ };
  const start = ({ name, params }: { name: string; params: unknown }): Command => {
    const short = name.split('.')[1]!;
    const running = agent.asynchronous.test(short);
    const command: Command = {
      id: `id-${commands.length + 1}`,
      command_name: short,
      command_status: running ? 'RUNNING' : 'SUCCEEDED',
      command_result: running ? null : (results[short] ?? { result: 'ok' }),
      command_error: null,
    };
    Object.assign(command, { params });
    commands.push(command);
    return { ...command, params: undefined };
  };
  const serve = (seen: Seen): Scripted | undefined => {
    const url = new URL(seen.path, 'https://agent');
    if (url.pathname !== '/agent/v1/commands/') return undefined;
    if (url.searchParams.get('agent_token') !== machine.token) {
      return { status: 401, body: { faultcode: 'Client', faultstring: 'Invalid agent token.' } };
    }
    if (seen.method === 'GET') return { status: 200, body: { commands } };
    if (commands.some(({ command_status }) => command_status === 'RUNNING')) {
      return { status: 409, body: { faultcode: 'Client', faultstring: 'Agent is busy.' } };
    }
    return { status: 200, body: start(seen.body as { name: string; params: unknown }) };
  };
  machine.bmc.handlers.push(serve);
  const posts = () => machine.bmc.requests.filter(({ method }) => method === 'POST').map(({ body }) => body['name']);
  return { ...machine, agent, posts };
};

const secretUrl = 'https://10.1.0.2/objects/drive?signature=MARKER-signature';
const writeImage = {
  kind: 'deploy',
  step: {
    interface: 'deploy',
    step: 'write_image',
    args: { image_info: { id: 'demo', urls: [secretUrl] }, configdrive: secretUrl },
  },
} as const;

describe('agent.steps', () => {
  it('gives the steps of all hardware managers, and sends node and ports', async () => {
    const { ask, agent, posts, bmc } = await withAgent();
    const step = { step: 'erase_devices', interface: 'deploy', priority: 10, reboot_requested: false, abortable: true };
    agent.results['get_clean_steps'] = {
      clean_steps: { Generic: [step], Other: [{ ...step, step: 'other' }, { broken: true }] },
      hardware_manager_version: { Generic: '1.1' },
    };
    expect(await ask('agent.steps', { kind: 'clean' })).toMatchObject({
      observed: { steps: [step, { step: 'other' }], hardware_manager_version: { Generic: '1.1' } },
    });
    expect(posts()).toEqual(['clean.get_clean_steps']);
    const { body, path } = bmc.requests.at(-1)!;
    expect(path).toContain('wait=true');
    expect(body['params']).toMatchObject({ node: { driver_info: { redfish_password: '******' } }, ports: [] });
  });

  it('says why an agent could not list them', async () => {
    const { ask, bmc } = await withAgent();
    bmc.handlers.unshift(() => ({
      status: 200,
      body: {
        id: '1',
        command_name: 'get_clean_steps',
        command_status: 'FAILED',
        command_error: { message: 'No disk.' },
      },
    }));
    const failure = ask('agent.steps', { kind: 'clean' });
    await expect(failure).rejects.toMatchObject({ name: 'AgentRejected' });
    await expect(failure).rejects.toThrow('No disk.');
  });
});

describe('agent.progress', () => {
  it('says whether the agent is at a command, and starts none', async () => {
    const { ask, agent, posts, ledger } = await withAgent();
    expect(await ask('agent.progress', {})).toMatchObject({ observed: { running: false } });
    await ask('agent.execute', writeImage);
    expect(await ask('agent.progress', {})).toMatchObject({ observed: { running: true } });
    agent.commands[0]!.command_status = 'FAILED';
    expect(await ask('agent.progress', {})).toMatchObject({ observed: { running: false } });
    expect(posts()).toEqual(['deploy.execute_deploy_step']);
    expect(await ledger()).toEqual(['sent deploy.execute_deploy_step', 'accepted']);
  });
});

describe('agent.execute', () => {
  it('gives the agent the secrets of a step in plain, and tells them to nobody else', async () => {
    const { ask, agent, sealer, log, table } = await withAgent();
    const plain = { raid_password: 'MARKER-raid', list: [{ api_key: { inner: 'MARKER-inner' } }], count: 3 };
    const place = { owner: uuid, name: 'step_argument' };
    const args = (await sealParts(sealer, place, plain)) as object;
    expect(JSON.stringify(args)).not.toContain('MARKER');
    const step = { interface: 'raid', step: 'create_configuration', args };
    const reply = await ask('agent.execute', { kind: 'clean', step });
    expect(agent.commands.at(-1)).toMatchObject({ params: { step: { ...step, args: plain } } });
    expect(JSON.stringify([reply, log.lines, table.items()])).not.toMatch(/MARKER-(raid|inner)/);
  });

  it('opens nothing that was sealed as something else', async () => {
    const { ask, agent, sealer } = await withAgent();
    const args = await sealParts(sealer, { owner: uuid, name: 'volume_property' }, { auth_password: 'MARKER-chap' });
    const step = { interface: 'raid', step: 'create_configuration', args };
    await expect(ask('agent.execute', { kind: 'clean', step })).rejects.toMatchObject({ name: 'Unsealable' });
    expect(agent.commands).toEqual([]);
  });

  it('starts a step once and tells how it stands to whoever asks again', async () => {
    const { ask, agent, posts, ledger } = await withAgent();
    expect(await ask('agent.execute', writeImage)).toMatchObject({
      observed: { started: true, command: { command_name: 'execute_deploy_step', command_status: 'RUNNING' } },
    });
    expect(await ask('agent.execute', writeImage)).toMatchObject({ observed: { started: false } });
    const step = writeImage.step;
    Object.assign(agent.commands[0]!, {
      command_status: 'SUCCEEDED',
      command_result: { deploy_result: 'written', deploy_step: step },
    });
    expect(await ask('agent.execute', writeImage)).toMatchObject({
      observed: { started: false, command: { id: 'id-1', command_status: 'SUCCEEDED' } },
    });
    expect(posts()).toEqual(['deploy.execute_deploy_step']);
    expect(await ledger()).toEqual(['sent deploy.execute_deploy_step', 'accepted', 'done']);
  });

  it('that only adopts starts nothing, and tells how the step stands once it was given', async () => {
    const { ask, posts, ledger } = await withAgent();
    const { kind, step } = writeImage;
    const look = { kind, step: { interface: step.interface, step: step.step }, only_adopt: true } as const;
    expect(await ask('agent.execute', look)).toMatchObject({ observed: { started: false, command: null } });
    expect([posts(), await ledger()]).toEqual([[], []]);
    await ask('agent.execute', writeImage);
    expect(await ask('agent.execute', look)).toMatchObject({
      observed: { started: false, command: { id: 'id-1', command_status: 'RUNNING' } },
    });
    expect(posts()).toEqual(['deploy.execute_deploy_step']);
  });

  it('gives the arguments to the agent and to nobody else', async () => {
    const { ask, agent, bmc, log, table } = await withAgent();
    const first = await ask('agent.execute', writeImage);
    expect(bmc.requests.at(-1)!.text).toContain('MARKER-signature');
    Object.assign(agent.commands[0]!, {
      command_status: 'FAILED',
      command_result: { deploy_step: writeImage.step },
      command_error: { message: `Could not fetch ${secretUrl}` },
    });
    const second = await ask('agent.execute', writeImage);
    expect(second).toMatchObject({ observed: { command: { command_status: 'FAILED' } } });
    expect(JSON.stringify([first, second, log.lines, table.items()])).not.toContain('MARKER-signature');
    const result = (second as { observed: { command: { command_result: unknown } } }).observed.command.command_result;
    expect(result).toEqual({ deploy_step: { interface: 'deploy', step: 'write_image' } });
  });

  it('adopts what was started when the answer was lost', async () => {
    const { ask, agent, bmc, posts } = await withAgent();
    const [serve] = bmc.handlers;
    bmc.handlers.unshift((seen) => {
      if (seen.method !== 'POST') return undefined;
      bmc.handlers.shift();
      serve!(seen);
      return 'reset';
    });
    await expect(ask('agent.execute', writeImage)).rejects.toMatchObject({ name: 'AgentUnreachable' });
    expect(agent.commands.length).toBe(1);
    expect(await ask('agent.execute', writeImage)).toMatchObject({
      observed: { started: false, command: { id: 'id-1' } },
    });
    expect(posts().length).toBe(1);
  });

  it('starts the next step though an earlier one was of the same command', async () => {
    const { ask, agent } = await withAgent();
    const clean = (step: string) => ({ kind: 'clean', step: { interface: 'deploy', step } }) as const;
    await ask('agent.execute', clean('erase_devices_metadata'), { op_id: 'step-0' });
    await expect(ask('agent.execute', clean('erase_devices'), { op_id: 'step-1' })).resolves.toMatchObject({
      observed: { started: false, command: { id: 'id-1' } },
    });
    Object.assign(agent.commands[0]!, {
      command_status: 'SUCCEEDED',
      command_result: { clean_step: clean('erase_devices_metadata').step },
    });
    expect(await ask('agent.execute', clean('erase_devices'), { op_id: 'step-1' })).toMatchObject({
      observed: { started: true, command: { id: 'id-2' } },
    });
  });

  it('starts a step once more for another place in the plan', async () => {
    const { ask, agent } = await withAgent();
    const burnin = { kind: 'clean', step: { interface: 'deploy', step: 'burnin_cpu' } } as const;
    await ask('agent.execute', burnin, { op_id: 'step-0' });
    Object.assign(agent.commands[0]!, {
      command_status: 'SUCCEEDED',
      command_result: { clean_step: burnin.step },
    });
    expect(await ask('agent.execute', burnin, { op_id: 'step-1' })).toMatchObject({
      observed: { started: true, command: { id: 'id-2' } },
    });
  });

  it('starts again when the agent has been booted since', async () => {
    const { ask, agent } = await withAgent();
    await ask('agent.execute', writeImage);
    agent.commands.length = 0;
    expect(await ask('agent.execute', writeImage)).toMatchObject({ observed: { started: true } });
  });

  it('is busy while another command runs', async () => {
    const { ask, agent } = await withAgent();
    agent.commands.push({ id: 'x', command_name: 'install_bootloader', command_status: 'RUNNING' });
    await expect(ask('agent.execute', writeImage)).rejects.toMatchObject({ name: 'AgentBusy' });
  });

  it('is fenced like every write', async () => {
    const { ask, setNode, posts } = await withAgent();
    await setNode({ generation: 9 });
    await expect(ask('agent.execute', writeImage)).rejects.toMatchObject({ name: 'StaleGeneration' });
    expect(posts()).toEqual([]);
  });
});

describe('agent.call', () => {
  it('waits for a command that the agent answers when it has ended', async () => {
    const { ask, bmc } = await withAgent();
    expect(await ask('agent.call', { command: 'standby.sync' })).toMatchObject({
      status: 'done',
      observed: { command: { command_name: 'sync', command_status: 'SUCCEEDED' } },
    });
    expect(bmc.requests.at(-1)!.path).toContain('wait=true');
  });

  it('follows a command that runs in the background, over invocations', async () => {
    const { ask, agent, posts } = await withAgent();
    const params = { root_uuid: 'u' };
    const call = { command: 'image.install_bootloader', params } as const;
    expect(await ask('agent.call', call)).toMatchObject({ status: 'pending' });
    Object.assign(agent.commands[0]!, { command_status: 'FAILED', command_error: { message: 'No ESP.' } });
    expect(await ask('agent.call', call)).toMatchObject({
      status: 'done',
      observed: { command: { command_status: 'FAILED', command_error: { message: 'No ESP.' } } },
    });
    expect(posts()).toEqual(['image.install_bootloader']);
    expect(agent.commands[0]!['params']).toEqual(params);
  });

  it('takes an agent that was told to power off, and is gone, at its word', async () => {
    const { ask, bmc, posts } = await withAgent();
    const call = { command: 'standby.power_off' } as const;
    expect(await ask('agent.call', call)).toMatchObject({ status: 'done' });
    bmc.handlers.unshift(() => 'reset');
    expect(await ask('agent.call', call)).toMatchObject({
      status: 'done',
      observed: { command: { id: 'id-1', command_status: 'RUNNING' } },
    });
    expect(posts()).toEqual(['standby.power_off']);
    await expect(ask('agent.call', call, { op_id: 'never sent' })).rejects.toMatchObject({ name: 'AgentUnreachable' });
  });
});

describe('an agent', () => {
  it('that has not called yet is unreachable', async () => {
    const { ask, setNode } = await withAgent();
    await setNode({ driver_internal_info: {} });
    await expect(ask('agent.steps', { kind: 'clean' })).rejects.toThrow('has not called');
  });

  it.each(['http://127.0.0.1:1/', 'nonsense', 'ftp://127.0.0.1'])('at %s is not called', async (agent_url) => {
    const { ask, setNode } = await withAgent();
    await setNode({ driver_internal_info: { agent_url } });
    await expect(ask('agent.steps', { kind: 'clean' })).rejects.toMatchObject({ name: 'AgentRejected' });
  });

  it('outside the allowed networks is not called', async () => {
    const { ask, setNode } = await withAgent();
    await setNode({ driver_internal_info: { agent_url: 'https://169.254.169.254/' } });
    await expect(ask('agent.steps', { kind: 'clean' })).rejects.toMatchObject({ name: 'TargetForbidden' });
  });

  it('with another certificate than it said does not get the token', async () => {
    const { ask, setNode, bmc } = await withAgent();
    const agent_url = `https://127.0.0.1:${bmc.port}/agent`;
    await setNode({ driver_internal_info: { agent_url } });
    await expect(ask('agent.steps', { kind: 'clean' })).rejects.toMatchObject({ name: 'AgentRejected' });
    expect(bmc.requests).toEqual([]);
  });

  it('that refuses the token says so, without the token', async () => {
    const { ask, bmc, token, log } = await withAgent();
    bmc.handlers.unshift(({ path }) => ({ status: 401, body: { faultstring: `Bad token in ${path}` } }));
    const error = await ask('agent.steps', { kind: 'clean' }).catch((caught: Error) => caught);
    expect(error).toMatchObject({ name: 'AgentRejected' });
    expect(JSON.stringify([(error as Error).message, log.lines])).not.toContain(token);
  });

  it.each([
    [{ status: 409 }, 'AgentBusy'],
    [{ status: 404 }, 'AgentRejected'],
    [{ status: 500 }, 'AgentUnreachable'],
    [{ status: 200, text: 'nonsense' }, 'AgentUnreachable'],
    ['reset', 'AgentUnreachable'],
    ['cut', 'AgentUnreachable'],
  ] as const)('that answers %j is told apart', async (answer, name) => {
    const { ask, bmc } = await withAgent();
    bmc.handlers.unshift(() => answer);
    await expect(ask('agent.steps', { kind: 'clean' })).rejects.toMatchObject({ name });
  });
});

describe('the end of a rescue', () => {
  const finalize = { command: 'rescue.finalize_rescue' } as const;
  const hash = '$5$salt$MARKER-hash';
  const withPassword = async () => {
    const machine = await withAgent();
    const sealed = await machine.sealer.seal(hash, { node: uuid, name: 'rescue_password' });
    await machine.table.write([rescuePasswordWrite(uuid, sealed)]);
    return machine;
  };

  it('gives the agent the hash that is sealed, and nobody else', async () => {
    const { ask, bmc, table, log } = await withPassword();
    const reply = await ask('agent.call', finalize);
    expect(reply).toMatchObject({ observed: { command: { command_status: 'SUCCEEDED' } } });
    expect(bmc.requests.at(-1)!.body).toEqual({
      name: 'rescue.finalize_rescue',
      params: { rescue_password: hash, hashed: true },
    });
    const kept = [reply, await table.query({ partition: `node#${uuid}` }), log.lines];
    expect(JSON.stringify(kept)).not.toContain(hash);
  });

  it('is given once: an agent that has it serves no commands any more', async () => {
    const { ask, posts } = await withPassword();
    for (const _ of [1, 2]) {
      const reply = await ask('agent.call', finalize);
      expect(reply).toMatchObject({ observed: { command: { command_status: 'SUCCEEDED' } } });
    }
    expect(posts()).toHaveLength(1);
  });

  it('is given again if the agent could not set it', async () => {
    const { ask, posts, bmc } = await withPassword();
    bmc.handlers.unshift(({ method }) =>
      method === 'POST' && posts().length === 1
        ? { status: 200, body: { id: 'id-0', command_name: 'finalize_rescue', command_status: 'FAILED' } }
        : undefined,
    );
    const statuses = [];
    for (const _ of [1, 2]) {
      const reply = await ask('agent.call', finalize);
      statuses.push((reply as { observed: { command: { command_status: string } } }).observed.command.command_status);
    }
    expect(statuses).toEqual(['FAILED', 'SUCCEEDED']);
  });

  it('takes no password from whoever asks for it', async () => {
    const { ask, posts } = await withPassword();
    const params = { rescue_password: 'x', hashed: true };
    await expect(ask('agent.call', { ...finalize, params })).rejects.toMatchObject({ name: 'InvalidCommand' });
    expect(posts()).toEqual([]);
  });

  it('is not opened for anything but its own command', async () => {
    const { ask, opener } = await withPassword();
    const opened: string[] = [];
    const open = opener.open;
    opener.open = async (sealed, place) => {
      opened.push(place.name);
      return open(sealed, place);
    };
    await ask('system.get', {});
    await ask('agent.call', { command: 'standby.sync' });
    expect(opened).toEqual(['redfish_password', 'agent_secret_token']);
  });

  it('is refused when there is no password', async () => {
    const { ask, posts } = await withAgent();
    await expect(ask('agent.call', finalize)).rejects.toThrow('has no rescue password');
    expect(posts()).toEqual([]);
  });
});
