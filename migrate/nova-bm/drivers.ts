/** The drivers that nodes of a nova_bm may get (nova-bm-migration.md 3). */
import { ipmiAccess } from '../../layers/domain/foreign-types.ts';

/** What driver_info calls what a power manager has, by driver. */
export const drivers = {
  ipmi: { ...ipmiAccess, terminal_port: 'ipmi_terminal_port' },
  redfish: {
    address: 'redfish_address',
    username: 'redfish_username',
    password: 'redfish_password',
    terminal_port: undefined,
  },
} as const satisfies Record<string, Record<'address' | 'username' | 'password' | 'terminal_port', string | undefined>>;

export type DriverName = keyof typeof drivers;
