/** Volume connectors and targets, as kinds of what a node has several of. */
import { volumeConnector, volumeTarget } from '../domain/volume.ts';
import type { Kind } from './belongings.ts';

export const volumeConnectors: Kind = {
  name: 'volume_connector',
  title: 'Volume connector',
  fields: volumeConnector,
  words: { volume_connector: 'UUID', volume_connector_id: 'type and connector_id' },
};

export const volumeTargets: Kind = {
  name: 'volume_target',
  title: 'Volume target',
  fields: volumeTarget,
  words: { volume_target: 'UUID', volume_boot_index: 'node and boot_index' },
};
