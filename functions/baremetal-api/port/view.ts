/** How a stored port is shown. */
import { maskSecrets } from '../../../layers/domain/masking.ts';
import { port as portFields } from '../../../layers/domain/port.ts';
import { projector, resourceLinks, type Want } from '../../../layers/domain/projection.ts';
import type { StoredPort } from '../../../layers/store/kinds/kinds.ts';
import type { Call } from '../route.ts';

/** Makes the function that shows ports as this caller asked for them. */
export const portView = ({ base, version }: Pick<Call, 'base' | 'version'>, want: Want) =>
  projector<StoredPort>(portFields, version, want, {
    links: ({ uuid }) => resourceLinks(base, 'ports', uuid),
    internal_info: ({ internal_info }) => maskSecrets(internal_info),
  });
