/** Whether an IP address is in a network. */
import { Invalid } from '../fault.ts';

type Address = { readonly bits: 32 | 128; readonly value: bigint };

const version4 = (text: string): Address | undefined => {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)) return undefined;
  return { bits: 32, value: parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n) };
};

const version6 = (text: string): Address | undefined => {
  // URL writes every form of an address in one: groups in hexadecimal, the longest row of zeros left out.
  const url = `http://[${text}]/`;
  if (!/^[0-9a-fA-F:.]+$/.test(text) || !URL.canParse(url)) return undefined;
  const [head = '', tail] = new URL(url).hostname.slice(1, -1).split('::');
  const groups = (part: string) => part.split(':').filter(Boolean);
  const [before, after] = [groups(head), groups(tail ?? '')];
  const all = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after];
  return { bits: 128, value: all.reduce((sum, group) => sum * 65536n + BigInt(`0x${group}`), 0n) };
};

const parse = (text: string, what: string): Address => {
  const found = version4(text) ?? version6(text);
  if (!found) throw Invalid(`"${text}" is not ${what}.`);
  return found;
};

/** `subnet` is such as 10.1.0.0/16 or fd00::/8; without a prefix it is one address. Throws Invalid (400). */
export const isInSubnet = (address: string, subnet: string): boolean => {
  const [start = '', prefix, ...rest] = subnet.split('/');
  const network = parse(start, 'a network, such as 10.1.0.0/16');
  const length = prefix === undefined ? network.bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1;
  if (length < 0 || length > network.bits || rest.length > 0) {
    throw Invalid(`"${subnet}" is not a network, such as 10.1.0.0/16.`);
  }
  const { bits, value } = parse(address, 'an IP address');
  const shift = BigInt(network.bits - length);
  return bits === network.bits && value >> shift === network.value >> shift;
};
