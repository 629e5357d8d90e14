/** What stands on the medium of an agent, as a ramdisk reads it: label and words. */
import { readIso } from '../../simulator/iso.ts';

export const readAgentMedium = (image: Uint8Array): { label: string; words: Record<string, string> } => {
  const { label, files } = readIso(image);
  const text = files.get('parameters.txt')?.toString('utf8') ?? '';
  const words = text.split(/\s+/).filter((word) => word.includes('='));
  const toPair = (word: string) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)];
  return { label, words: Object.fromEntries(words.map(toPair)) as Record<string, string> };
};
