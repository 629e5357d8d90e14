/** The hardware types with the implementations of each interface; the first is the default. */
import { hardwareTypes, interfaceKinds, type InterfaceKind } from '../layers/domain/hardware-types.ts';
import { table } from './markdown.ts';

/** Interface kinds down, hardware types across. */
export const driverTable = (): string =>
  table(
    ['interface', ...Object.keys(hardwareTypes).map((name) => `\`${name}\``)],
    (Object.keys(interfaceKinds) as InterfaceKind[]).map((kind) => [
      kind,
      ...Object.values(hardwareTypes).map(({ interfaces }) => interfaces[kind].join(', ')),
    ]),
  );
