/** Credentials that were stored for IPMI, before a BMC that speaks Redfish. */
import { expect, it } from 'vitest';

import { openFor, sealFor } from '../../../layers/bmc/seal.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import { keyOf } from '../../../layers/store/kinds/kind.ts';
import { secretsWrite } from '../../../layers/store/node-secrets.ts';
import { enrol, type Options, uuid } from './fixture.ts';

/** The machine as it was moved in: found by its address for IPMI, with one sealed password. */
const movedIn = async (stored = 'MARKER-bmc-password', options: Options = {}) => {
  const machine = await enrol({ password: 'MARKER-bmc-password', ...options });
  const sealed = { ipmi_password: await machine.sealer.seal(stored, { node: uuid, name: 'ipmi_password' }) };
  await machine.table.write([secretsWrite(uuid, { values: {}, revision: 1 }, sealed)]);
  await machine.table.write([
    {
      update: keyOf(kinds.node, uuid),
      set: {
        driver: 'ipmi',
        driver_info: { ipmi_address: '127.0.0.1', ipmi_username: machine.bmc.username, ipmi_password: '******' },
      },
    },
  ]);
  const given = {
    redfish_address: `https://127.0.0.1:${machine.bmc.port}`,
    redfish_verify_ca: `sha256:${machine.bmc.fingerprint256}`,
  };
  const prove = async (more: object = {}, password?: string) => {
    const context = { node: uuid, name: 'redfish_password' };
    const asked: Record<string, unknown> = { ...given, ...more };
    const sealedGiven = password === undefined ? null : await sealFor(machine.sealer, password, context, asked);
    return machine.ask('bmc.prove', { given: asked, sealed: sealedGiven });
  };
  return { ...machine, given, prove };
};

const writes = ({ bmc }: Awaited<ReturnType<typeof movedIn>>) =>
  bmc.requests.filter(({ method, path }) => method !== 'GET' && !path.includes('/Sessions'));

it('finds the one system with them, and hands them on sealed under their new name', async () => {
  const machine = await movedIn();
  const reply = await machine.prove();
  expect(reply).toMatchObject({
    status: 'done',
    observed: { power: 'power off', serial: 'SN-0001', fingerprint256: machine.bmc.fingerprint256 },
  });
  if (reply.status !== 'done') return;
  const moved = Buffer.from(reply.observed.moved!).toString();
  const opened = async (name: string, info: object) =>
    openFor(machine.opener, moved, { node: uuid, name }, { ...info });
  expect(await opened('redfish_password', machine.given)).toBe('MARKER-bmc-password');
  await expect(opened('redfish_password', { ...machine.given, redfish_verify_ca: false })).rejects.toThrow('sealed');
  await expect(opened('ipmi_password', machine.given)).rejects.toThrow('sealed');
  expect(JSON.stringify(reply)).not.toContain('MARKER');
  expect([writes(machine), await machine.ledger()]).toEqual([[], []]);
});

it('says so when the BMC does not take them', async () => {
  const machine = await movedIn('MARKER-old');
  await expect(machine.prove()).rejects.toMatchObject({
    name: 'BmcAuthFailed',
    message: expect.not.stringContaining('MARKER') as string,
  });
});

it('sends the stored password to no other host, and never asks that', async () => {
  const machine = await movedIn();
  const elsewhere = { redfish_address: `https://localhost:${machine.bmc.port}` };
  await expect(machine.prove(elsewhere)).rejects.toMatchObject({
    name: 'InvalidCommand',
    message: expect.stringContaining('is for 127.0.0.1, not for localhost') as string,
  });
  expect(machine.bmc.requests).toEqual([]);
  expect(await machine.prove(elsewhere, 'MARKER-bmc-password')).toMatchObject({ observed: { moved: null } });
});

it('proves the password of the request in the place of the stored one', async () => {
  const machine = await movedIn('MARKER-old');
  expect(await machine.prove({}, 'MARKER-bmc-password')).toMatchObject({ status: 'done', observed: { moved: null } });
});

it('takes nobody for the BMC without the certificate that the operator trusts', async () => {
  const machine = await movedIn();
  await expect(machine.prove({ redfish_verify_ca: true })).rejects.toMatchObject({ name: 'BmcTlsMismatch' });
  const logins = machine.bmc.requests.filter(({ headers }) => headers['authorization'] !== undefined);
  expect(logins).toEqual([]);
});

it('asks nobody outside of bmc_networks, whatever address was moved in', async () => {
  const machine = await movedIn('MARKER-bmc-password', { environment: { INGOT_BMC_NETWORKS: '10.0.0.0/8' } });
  await expect(machine.prove()).rejects.toMatchObject({ name: 'TargetForbidden' });
  expect(machine.bmc.requests).toEqual([]);
});

it('wants to be told which system is meant when there are several', async () => {
  const machine = await movedIn();
  machine.bmc.resources['/redfish/v1/Systems'] = {
    Members: [{ '@odata.id': '/redfish/v1/Systems/1' }, { '@odata.id': '/redfish/v1/Systems/2' }],
  };
  await expect(machine.prove()).rejects.toThrow('redfish_system_id to one of');
  expect(await machine.prove({ redfish_system_id: '/redfish/v1/Systems/1' })).toMatchObject({ status: 'done' });
});

it('is nothing for a node of redfish', async () => {
  const { ask } = await enrol();
  await expect(ask('bmc.prove', { given: {}, sealed: null })).rejects.toThrow('there is nothing to convert');
});
