/** What the simulator tells over its control port: how its machines are reached, and what happened to them. */
import { Fault } from '../../layers/domain/fault.ts';

export type Machine = {
  readonly name: string;
  readonly address: string;
  readonly system_id: string;
  readonly username: string;
  readonly password: string;
  readonly mac: string;
  /** PEM of the certificate that its BMC shows. */
  readonly certificate: string;
};

export type Images = {
  readonly deploy_iso: string;
  readonly demo_raw: { readonly url: string; readonly sha256: string; readonly size: number };
};

/** The state of one machine, as far as the demo looks at it. */
export type MachineState = {
  readonly power: 'on' | 'off';
  /** By slot; null: empty. */
  readonly media: Readonly<Record<string, unknown>>;
  readonly disk: {
    readonly image: { readonly sha256: string; readonly size: number } | null;
    readonly configdrive: {
      readonly label: string | null;
      readonly files: Readonly<Record<string, { readonly sha256: string; readonly text?: string }>>;
    } | null;
  };
  /** What must never happen to a machine, and did. */
  readonly violations: readonly { readonly what: string }[];
};

export type Control = {
  list(): Promise<{ machines: Machine[]; images: Images }>;
  state(name: string): Promise<MachineState>;
};

/** Reads the control port at `url`. Throws Unreachable (503). */
export const createControl = (url: string): Control => {
  const read = async <T>(path: string): Promise<T> => {
    const response = await fetch(url + path).catch((error: unknown) => {
      throw new Fault('Unreachable', 503, `The simulator does not answer at ${url}.`, { cause: error });
    });
    if (!response.ok) throw new Fault('Refused', response.status, `The simulator answered ${response.status}.`);
    return (await response.json()) as T;
  };
  return { list: async () => read('/machines'), state: async (name) => read(`/machines/${name}`) };
};
