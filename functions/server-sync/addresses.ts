/** Changes of addresses that nobody has told to the nodes that they concern: whose server was busy, or whose teller died. */
import { openChanges } from '../../layers/store/address-changes.ts';
import { tellAddresses, type Telling } from '../../workflows/owners/server/addresses.ts';

/** Changes that are looked at together. */
const atOnce = 16;

/** All that is open: what stays so, because its server is busy, keeps nobody behind it waiting. */
export const tellOpenChanges = async (needs: Telling): Promise<void> => {
  let after: string | undefined;
  do {
    const changes = await openChanges(needs.table, { limit: atOnce, after });
    await Promise.all(changes.map(async (change) => tellAddresses(needs, change)));
    after = changes.at(-1)?.port;
  } while (after !== undefined);
};
