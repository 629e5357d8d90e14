/** POST /servers/{id}/action (compute-api.md 3), and DELETE, which is one of them. */
import * as z from 'zod';

import { type ActionName, actions, type Asked, readAction } from '../../../layers/domain/compute/actions.ts';
import { isKnown } from '../../../layers/domain/fields.ts';
import { allows, denied } from '../../../layers/domain/policy.ts';
import { createSchema } from '../../../layers/domain/schema.ts';
import type { StoredServer } from '../../../layers/store/kinds/compute.ts';
import { endRun } from '../../../layers/store/servers.ts';
import { type Answer, type Call, type Deps, route, type Route } from '../route.ts';
import { act } from './act.ts';
import { findServer as find } from './find.ts';
import { newPassword, passwordWrite } from './password.ts';
import { rebuild } from './rebuild.ts';

export type ActionCall = Call<unknown, StoredServer>;
type Doing = (deps: Deps, call: ActionCall, asked: Asked) => Promise<Answer>;

const rescue: Doing = async (deps, call, { action, values: { adminPass, ...values } }) => {
  const password = (adminPass as string | undefined) ?? newPassword();
  const kept = await passwordWrite(deps, call.target.uuid, password);
  await act(deps, call, { action, values }, () => ({ also: [kept] }));
  return { body: { adminPass: password } };
};

const unlockOverride = 'os_compute_api:os-lock-server:unlock:unlock_override';

/** What an administrator has locked stays so, whatever its tenant says. */
const lock: Doing = async (deps, call, asked) => {
  const by = call.target.tenant_id === call.subject.project ? 'owner' : 'admin';
  const locked_reason = (asked.values['locked_reason'] ?? null) as string | null;
  await act(deps, call, asked, ({ locked_by: before }) =>
    before === 'admin' && by === 'owner' ? {} : { set: { locked_by: by, locked_reason } },
  );
  return {};
};

const unlock: Doing = async (deps, call, asked) => {
  await act(deps, call, asked, ({ locked_by: by }) => {
    if (by === 'admin' && !allows(unlockOverride, call.subject)) throw denied(unlockOverride);
    return { set: { locked_by: null, locked_reason: null } };
  });
  return {};
};

/** Whatever works on it is stopped: that is what operators do with what is stuck. */
const resetState: Doing = async (deps, call, asked) => {
  const vm_state = asked.values['state'] as 'active' | 'error';
  await act(deps, call, asked, () => ({ set: { ...endRun(), vm_state } }));
  return {};
};

/** Those that do more than their row says. */
const doings: { readonly [N in ActionName]?: Doing } = { rescue, rebuild, lock, unlock, reset_state: resetState };

const usual: Doing = async (deps, call, asked) => {
  await act(deps, call, asked);
  return {};
};

/** Those that make a password tell it here and never again. */
const shows = z.union([z.object({ adminPass: z.string() }), z.object({ server: z.looseObject({}) })]);

/** The actions of a version as bodies, for the documents. */
const bodiesAt = (version: number): z.ZodType =>
  z.union(
    Object.values(actions).flatMap((row) => {
      const { body, takes = z.unknown(), doc } = row;
      if (body === undefined || !isKnown(row, version)) return [];
      const schema = takes instanceof z.ZodType ? takes : createSchema(takes, version);
      return [z.strictObject({ [body]: schema }).describe(doc)];
    }),
  );

export const actionRoutes: readonly Route[] = [
  route<Record<string, unknown>, StoredServer>({
    at: 'POST /v2.1/servers/{server_id}/action',
    // Each action has a rule of its own.
    policy: 'os_compute_api:servers:show',
    status: 202,
    otherwise: 200,
    shows,
    body: z.record(z.string(), z.unknown()),
    takes: bodiesAt,
    doc: 'one of the actions, each with a rule of its own; rescue and rebuild answer a password',
    find,
    handle: async (deps, call) => {
      const asked = readAction(call.body, call.version, (action) => {
        const { rule } = actions[action];
        if (!allows(rule, call.subject, call.target)) throw denied(rule);
      });
      const { status = 202 } = actions[asked.action];
      return { status, ...(await (doings[asked.action] ?? usual)(deps, call, asked)) };
    },
  }),
  route<undefined, StoredServer>({
    at: 'DELETE /v2.1/servers/{server_id}',
    policy: 'os_compute_api:servers:delete',
    status: 204,
    find,
    handle: async (deps, call) => {
      await act(deps, call, { action: 'delete', values: {} });
      return {};
    },
  }),
];
