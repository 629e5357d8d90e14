/** Whether what opened a BMC for another driver opens it by Redfish too. Nothing but a login is sent that is no GET. */
import { type Conversion, convert } from '../../layers/bmc/conversion.ts';
import { bmcFault } from '../../layers/bmc/faults.ts';
import { openFor, sealFor } from '../../layers/bmc/seal.ts';
import { withBmc } from './bmc.ts';
import { done, type Call } from './call.ts';
import { readPower } from './power.ts';

const name = 'redfish_password';

/** The password to prove, out of what came sealed with the request, or of what is stored for the old driver. */
const passwordOf = async (call: Call<'bmc.prove'>, { info, moves }: Conversion): Promise<string | undefined> => {
  const { opener, record, params, conceal, open } = call;
  if (moves !== undefined) return open(moves);
  if (params.sealed === null) return undefined;
  const plain = await openFor(opener, params.sealed, { node: record.uuid, name }, info);
  conceal(plain);
  return plain;
};

/** Reads the one system that is meant, with the credentials as they would be after the conversion. */
export const prove = async (call: Call<'bmc.prove'>) => {
  const { record, params, sealer } = call;
  const given = { ...params.given, ...(params.sealed !== null && { [name]: params.sealed }) };
  const conversion = convert(record, given);
  const { info, moves } = conversion;
  const password = await passwordOf(call, conversion);
  if (moves !== undefined && password === undefined) {
    throw bmcFault('InvalidCommand', `No value is stored for driver_info.${moves}: give redfish_password.`);
  }
  const asked = { ...record, driver_info: { ...info, [name]: password }, sealed: {} };
  const observed = await withBmc({ ...call, record: asked }, async ({ redfish, system }) => {
    const { body } = await system();
    return {
      power: readPower(body.PowerState),
      vendor: body.Manufacturer ?? null,
      model: body.Model ?? null,
      serial: body.SerialNumber ?? null,
      fingerprint256: redfish.fingerprint256(),
    };
  });
  const moved =
    moves === undefined || password === undefined
      ? null
      : await sealFor(sealer, password, { node: record.uuid, name }, info);
  return done<'bmc.prove'>({ ...observed, moved: moved === null ? null : [...Buffer.from(moved)] });
};
