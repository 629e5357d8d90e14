/** Users who are kept in parameters, one each (layers/domain/stored-users.ts). */
import { isFault } from '../../layers/domain/fault.ts';
import { placeOf, readStored } from '../../layers/domain/stored-users.ts';
import type { User } from '../../layers/domain/users.ts';
import type { Platform } from '../../layers/platform/platform.ts';

type Deps = Pick<Platform, 'parameters' | 'clock'>;

/** How long a user counts without being read again, ms; and how long if he cannot be read. */
const fresh = 60_000;
const longest = 60 * 60_000;

/** Finds a user by name. Throws Unavailable (503), and Fault `Configuration` (500) for a text that is no user. */
type FindUser = (name: string) => Promise<User | undefined>;

/**
 * Keeps who was found, and nobody who was not: names that strangers make up would push the others out. Strangers may also
 * ask so often that SSM answers nobody for a while; whoever was there an hour ago gets in meanwhile.
 */
export const createStored = ({ parameters, clock }: Deps, path: string): FindUser => {
  const kept = new Map<string, { readonly at: number; readonly user: User }>();

  const read = async (place: string, name: string): Promise<User | undefined> => {
    const text = await parameters.find(place);
    if (text === undefined) return undefined;
    const [found, user] = readStored(place, text);
    return found === name ? user : undefined;
  };

  return async (name) => {
    const place = placeOf(path, name);
    if (place === undefined) return undefined;
    const known = kept.get(name);
    const age = clock.now() - (known?.at ?? -Infinity);
    if (known && age < fresh) return known.user;
    try {
      const user = await read(place, name);
      if (user) kept.set(name, { at: clock.now(), user });
      else kept.delete(name);
      return user;
    } catch (error) {
      if (known && age < longest && isFault(error) && error.name === 'Unavailable') return known.user;
      throw error;
    }
  };
};
