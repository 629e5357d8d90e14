/** What holds of a node's values at older versions (ironic-api.md 2.2); what always holds is in the domain. */
import { NotAcceptable } from '../../../layers/domain/fault.ts';

export { checkValues, checkWhole } from '../../../layers/domain/node-rules.ts';

/** Ironic refuses to unset the chassis below 1.25. Throws NotAcceptable (406). */
export const refuseChassisRemoval = (values: Readonly<Record<string, unknown>>, version: number): void => {
  if (version < 25 && 'chassis_uuid' in values && values['chassis_uuid'] === null) {
    throw NotAcceptable('Request not acceptable. Removing chassis_uuid needs API version 1.25 or newer.');
  }
};
