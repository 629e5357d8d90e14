/** Who may talk to a BMC: Basic, or sessions that are few and expire. */
import { timingSafeEqual } from 'node:crypto';

import type { Answer, Ask } from '../http.ts';
import type { Machine } from '../machine.ts';
import type { World } from '../world.ts';
import { collection, done, link, refusal, type Act, type View } from './call.ts';

/** Seconds (of real time: clients count in it too) without a request after which a session ends. */
const sessionTimeout = 1800;

const same = (given: unknown, wanted: string): boolean => {
  if (typeof given !== 'string') return false;
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
};

const alive = (world: World, machine: Machine) =>
  machine.sessions.filter(({ used_at }) => world.clock.now() - used_at < sessionTimeout * 1000);

const refuseLogin = (world: World, machine: Machine): never => {
  machine.auth_failures += 1;
  world.changed(machine);
  throw refusal('Base.1.16.ResourceAtUriUnauthorized');
};

const checkToken = (world: World, machine: Machine, token: string): void => {
  const session = alive(world, machine).find((one) => same(token, one.token));
  if (!session) throw refusal('Base.1.16.NoValidSession');
  if (world.faults.strikes('session_lost', machine)) {
    machine.sessions = machine.sessions.filter((one) => one !== session);
    throw refusal('Base.1.16.NoValidSession');
  }
  session.used_at = world.clock.now();
};

/** Throws a refusal unless the request carries a live session's token or the right Basic credentials. */
export const authenticate = (world: World, machine: Machine, { headers }: Ask): void => {
  if (world.faults.strikes('bmc_unauthorized', machine)) refuseLogin(world, machine);
  const token = headers['x-auth-token'];
  if (typeof token === 'string') return checkToken(world, machine, token);
  const encoded = /^Basic (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (!encoded) throw refusal('Base.1.16.NoValidSession');
  const { username, password } = machine;
  if (!same(Buffer.from(encoded, 'base64').toString(), `${username}:${password}`)) refuseLogin(world, machine);
};

/** The SessionService resource. */
export const sessionService: View = ({ machine, profile }) => {
  if (profile.session_limit === null) throw refusal('Base.1.16.ResourceMissingAtURI');
  return {
    '@odata.type': '#SessionService.v1_1_8.SessionService',
    Id: 'SessionService',
    Name: 'Session Service',
    ServiceEnabled: true,
    SessionTimeout: sessionTimeout,
    Sessions: link(machine, '/SessionService/Sessions'),
  };
};

/** The sessions that have not run out. */
export const sessions: View = ({ world, machine, profile }) => {
  if (profile.session_limit === null) throw refusal('Base.1.16.ResourceMissingAtURI');
  const paths = alive(world, machine).map(({ id }) => `/SessionService/Sessions/${id}`);
  return collection(machine, 'SessionCollection', 'Sessions', paths);
};

/** One session, without its token. */
export const session: View = ({ world, machine, params }) => {
  const found = alive(world, machine).find(({ id }) => id === params['session']);
  if (!found) throw refusal('Base.1.16.ResourceMissingAtURI');
  return {
    '@odata.type': '#Session.v1_6_0.Session',
    Id: found.id,
    Name: 'User Session',
    UserName: machine.username,
  };
};

/** Opens a session if the credentials are right and one of the profile's slots is free. */
export const openSession: Act = (call): Answer => {
  const { world, machine, body, profile } = call;
  // Counted like a wrong password: that is what it would cost where accounts are locked.
  if (profile.session_limit === null) return refuseLogin(world, machine);
  const { UserName, Password } = body;
  const right = same(UserName, machine.username) && same(Password, machine.password);
  if (world.faults.strikes('bmc_unauthorized', machine) || !right) return refuseLogin(world, machine);
  machine.sessions = alive(world, machine);
  const full = machine.sessions.length >= profile.session_limit;
  if (full || world.faults.strikes('session_limit', machine)) throw refusal('Base.1.16.SessionLimitExceeded');
  const opened = { id: world.nonces.bytes(6).toString('hex'), token: world.nonces.bytes(24).toString('base64url') };
  machine.sessions.push({ ...opened, used_at: world.clock.now() });
  world.changed(machine);
  const { '@odata.id': location } = link(machine, `/SessionService/Sessions/${opened.id}`);
  return {
    status: 201,
    headers: { 'odata-version': '4.0', 'x-auth-token': opened.token, location },
    body: { '@odata.id': location, ...session({ ...call, params: { session: opened.id } }) },
  };
};

/** Logs out; 404 for a session that has run out. */
export const closeSession: Act = ({ world, machine, params }) => {
  const kept = alive(world, machine).filter(({ id }) => id !== params['session']);
  if (kept.length === machine.sessions.length) throw refusal('Base.1.16.ResourceMissingAtURI');
  machine.sessions = kept;
  world.changed(machine);
  return done;
};
