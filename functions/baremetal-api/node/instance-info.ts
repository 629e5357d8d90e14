/** What clients may write into instance_info, seen next to what is stored. */
import { Invalid } from '../../../layers/domain/fault.ts';
import { hasMaskedUser, isMasked, mask, unmaskField } from '../../../layers/domain/masking.ts';
import { node } from '../../../layers/domain/node.ts';

type Info = Readonly<Record<string, unknown>>;

const isUrl = (value: unknown) => typeof value === 'string' && /^https?:\/\//i.test(value);

/**
 * instance_info as it is stored: a value that is answered as ****** and comes back so is left as it was. A configdrive
 * other than a URL is taken with the provision request only, which checks and stores it. Throws Invalid (400).
 */
export const readInstanceInfo = (info: Info, stored: Info): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(info).map(([name, given]) => {
      const value = isUrl(given) ? unmaskField(node.instance_info.masked, given, stored[name]) : given;
      if (hasMaskedUser(value)) {
        throw Invalid(`instance_info.${name}: ****** stands only for the user and password that are stored there.`);
      }
      if (value === mask && isMasked(node.instance_info.masked, name) && name in stored) return [name, stored[name]];
      if (name === 'configdrive' && value !== null && value !== stored[name] && !isUrl(value)) {
        throw Invalid('instance_info.configdrive can only be a URL, pass a configdrive in PUT states/provision.');
      }
      return [name, value];
    }),
  );
