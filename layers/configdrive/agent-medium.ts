/** The medium with the parameters of a deploy agent (layers/domain/agent-medium.ts) as an image. */
import {
  agentMediumLabel,
  configurationFile,
  configurationText,
  networkDataFile,
  parametersFile,
  parametersText,
  type AgentWords,
} from '../domain/agent-medium.ts';
import { configdriveLabel } from './index.ts';
import { buildIso } from './iso.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/**
 * A raw ISO 9660 image, of which the kernel of the ramdisk reads the files whatever drive it shows up as. `network`: the
 * network_data of the node, where there is one.
 */
export const buildAgentMedium = (words: AgentWords, network?: Readonly<Record<string, unknown>>): Uint8Array => {
  // Agents that find no medium of their label take some drive for it, and end at their start if it has no such file.
  const parameters = { path: parametersFile, data: encode(parametersText(words)) };
  if (!network) return buildIso({ label: agentMediumLabel, files: [parameters] });
  return buildIso({
    label: configdriveLabel,
    files: [
      parameters,
      { path: networkDataFile, data: encode(JSON.stringify(network)) },
      { path: configurationFile, data: encode(configurationText(words)) },
    ],
  });
};
