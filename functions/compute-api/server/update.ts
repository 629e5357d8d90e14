/** PUT /servers/{id} (compute-api.md 3): what a tenant may change of a server without its machine. */
import { server as rows } from '../../../layers/domain/compute/server.ts';
import { Invalid } from '../../../layers/domain/fault.ts';
import type { Field, Fields } from '../../../layers/domain/fields.ts';
import { namedSchema } from '../../../layers/domain/schema.ts';
import { computeKinds, type StoredServer } from '../../../layers/store/kinds/compute.ts';
import { changeRecord } from '../../../layers/store/records/change.ts';
import { route, type Route } from '../route.ts';
import { findServer as find } from './find.ts';
import { serverShape, showServer, wantAfterChange } from './view.ts';

/** None of them has to be there, and bodies have their plain names, but for the one that always had an extension's. */
const updatable: Fields = Object.fromEntries(
  Object.entries<Field>(rows)
    .filter(([, { access }]) => access === 'update')
    .map(([name, { required: _required, extension, ...row }]) => [
      name,
      { ...row, ...(extension === 'OS-DCF' && { extension }) },
    ]),
);

/** What is given; null is the default of a field that has one or may be null. Throws Invalid (400). */
const readChange = (values: Readonly<Record<string, unknown>>): Partial<StoredServer> =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => {
        const { required, default: usual = null }: Field = rows[name as keyof typeof rows];
        if (value === null && required) throw Invalid(`Invalid value for server.${name}: it must not be null.`);
        return [name, value ?? usual];
      }),
  );

export const updateRoute: Route = route<Record<'server', Record<string, unknown>>, StoredServer>({
  at: 'PUT /v2.1/servers/{server_id}',
  policy: 'os_compute_api:servers:update',
  body: namedSchema('server', updatable),
  takes: { name: 'Server', rows: updatable, under: 'server' },
  answers: serverShape.one,
  find,
  handle: async (deps, call) => {
    const set = readChange(call.body.server);
    const { after } = await changeRecord(deps, computeKinds.server, call.target.uuid, () => ({ set }));
    return { body: { server: await showServer(deps.table, call, after, wantAfterChange(call)) } };
  },
});
