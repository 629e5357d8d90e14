/** The medium with the parameters of a deploy agent (layers/domain/agent-medium.ts) as an image. */
import { agentMediumLabel, parametersFile, parametersText } from '../domain/agent-medium.ts';
import { buildIso } from './iso.ts';

/** A raw ISO 9660 image, of which the kernel of the ramdisk reads the file whatever drive it shows up as. */
export const buildAgentMedium = (words: Readonly<Record<string, string>>): Uint8Array =>
  buildIso({
    label: agentMediumLabel,
    files: [{ path: parametersFile, data: new TextEncoder().encode(parametersText(words)) }],
  });
