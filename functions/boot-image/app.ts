/**
 * Builds boot images of kernel, ramdisk and boot loader, and hands out links to them (ADR 29). What is large is never
 * whole in memory: an image is stored in pieces of one size, and put together by the object store. A call works for a
 * while and says how far it is; whoever calls again goes on behind the last piece that is stored.
 */
import {
  bootImageKey,
  bootImageLabel,
  bootImageRequest,
  bootImagesPrefix,
  bootParts,
  bootPieceKey,
  grubConfiguration,
  grubFile,
  type BootImageReply,
  type BootImageRequest,
  type BootPart,
} from '../../layers/domain/boot-image.ts';
import { buildHead, type Head } from '../../layers/configdrive/iso.ts';
import { Fault, Invalid } from '../../layers/domain/fault.ts';
import type { Invocation, Platform } from '../../layers/platform/platform.ts';
import type { Config } from './config.ts';
import { bootImageId, week, type Known } from './name.ts';
import { createOpen, createReader, look, type Open, type Reader } from './source.ts';

/** Everything that this function may touch of the world. `open`: other than over the network, in tests. */
export type Deps = Pick<Platform, 'objects' | 'clock' | 'log'> & { readonly open?: Open };

const names = Object.keys(bootParts) as BootPart[];

/** S3 puts objects together of others of 5 MiB to 5 GiB, at most 10,000. */
const pieceBytes = 16 * 2 ** 20;

/** A call ends so long before its caller gives up on it, or after so long. ms. */
const [spare, turn] = [30_000, 60_000];

/** Before its caller's time is over a call has hung up on servers that send too slowly, ms. */
const hangUp = 10_000;

/** An image that large is none that a machine could hold in memory. Bytes. */
const largest = 2 ** 31;

/** Nobody has been told of an image for a day by then. */
const lifetime = week + 24 * 3600 * 1000;

/** `seen`: what the servers said of the parts. */
type Image = {
  readonly id: string;
  readonly head: Head;
  readonly seen: Readonly<Record<BootPart, Known>>;
};

const perPart = <T>(make: (name: BootPart) => T): Record<BootPart, T> =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<BootPart, T>;

const headOf = (seen: Image['seen'], words: readonly string[]): Head => {
  const large = names.map((name) => ({ path: bootParts[name], size: seen[name].size }));
  const files = [{ path: grubFile, data: Buffer.from(grubConfiguration(words)) }];
  const bytes = large.reduce((sum, { size }) => sum + size, 0);
  if (bytes > largest) throw Invalid(`The boot image would have ${bytes} bytes, ${largest} are possible.`);
  try {
    return buildHead({ label: bootImageLabel, files, large, efi: bootParts.bootloader });
  } catch (error) {
    if (error instanceof RangeError) throw Invalid(`The boot image cannot be built. ${error.message}`, error);
    throw error;
  }
};

const describe = async ({ clock }: Deps, open: Open, wanted: BootImageRequest): Promise<Image> => {
  const { parts, words, boot } = wanted;
  const looked = await Promise.all(names.map(async (name) => [name, await look(open, parts[name])] as const));
  const seen = Object.fromEntries(looked) as Image['seen'];
  // The Image API says more of a content than a server does; without either nobody could know the content again.
  const known = perPart((name) => {
    const { size, validator } = seen[name];
    return { size, validator: parts[name].content ?? (validator || boot) };
  });
  return { id: bootImageId(wanted, known, clock.now()), head: headOf(seen, words), seen };
};

type Piece = { readonly start: number; readonly end: number };

const pieceOf = ({ head: { size } }: Image, number: number): Piece => ({
  start: number * pieceBytes,
  end: Math.min((number + 1) * pieceBytes, size),
});

/** What of a span of so many bytes from `from` on lies in the piece: where it begins in both, and how many bytes. */
const overlap = ({ start, end }: Piece, from: number, bytes: number) => {
  const [first, last] = [Math.max(start, from), Math.min(end, from + bytes)];
  return { at: first - start, from: first - from, bytes: Math.max(0, last - first) };
};

/** Zeros where nothing else is. */
const fillPiece = async ({ head, seen }: Image, piece: Piece, readers: Record<BootPart, Reader>): Promise<Buffer> => {
  const content = Buffer.alloc(piece.end - piece.start);
  const begin = overlap(piece, 0, head.bytes.length);
  content.set(head.bytes.subarray(begin.from, begin.from + begin.bytes), begin.at);
  for (const [index, name] of names.entries()) {
    const { at, from, bytes } = overlap(piece, head.starts[index]!, seen[name].size);
    let next = at;
    for (const chunk of bytes > 0 ? await readers[name].read(from, bytes) : []) {
      content.set(chunk, next);
      next += chunk.length;
    }
  }
  return content;
};

/** Stores the pieces that are missing, as many as there is time for. How many are there then. */
const storePieces = async (
  deps: Deps,
  image: Image,
  numbers: readonly number[],
  readers: Record<BootPart, Reader>,
  isTime: () => boolean,
): Promise<number> => {
  const { objects } = deps;
  const stored = new Set((await objects.list(bootPieceKey(image.id, 0).replace(/0$/, ''))).map(({ key }) => key));
  for (const number of numbers) {
    const key = bootPieceKey(image.id, number);
    if (stored.has(key)) continue;
    if (!isTime()) break;
    await objects.put(key, await fillPiece(image, pieceOf(image, number), readers));
    stored.add(key);
  }
  return numbers.filter((number) => stored.has(bootPieceKey(image.id, number))).length;
};

/** Images of weeks before, and pieces that nobody puts together any more. A failure is the next one's matter. */
const sweep = async ({ objects, clock, log }: Deps): Promise<void> => {
  try {
    for (const { key, put_at } of await objects.list(bootImagesPrefix)) {
      if (clock.now() - put_at > lifetime) await objects.remove(key);
    }
  } catch (error) {
    log.warn('Old boot images could not be removed; the next one that is built tries again.', { error });
  }
};

/** Goes on with the image; undefined when it is there. */
const build = async (
  deps: Deps,
  open: Open,
  { parts }: BootImageRequest,
  image: Image,
  isTime: () => boolean,
): Promise<BootImageReply | undefined> => {
  const numbers = Array.from({ length: Math.ceil(image.head.size / pieceBytes) }, (_, number) => number);
  const readers = perPart((name) => createReader(open, parts[name], image.seen[name]));
  const key = bootImageKey(image.id);
  try {
    const done = await storePieces(deps, image, numbers, readers, isTime);
    if (done < numbers.length || !isTime()) return { status: 'building', key, done, of: numbers.length };
  } finally {
    for (const name of names) await readers[name].close();
  }
  const pieces = numbers.map((number) => bootPieceKey(image.id, number));
  await deps.objects.assemble(key, pieces);
  for (const piece of pieces) await deps.objects.remove(piece);
  await sweep(deps);
  return undefined;
};

/**
 * Makes the function. Throws BootImageMalformed for a mistake of its caller; Invalid and TargetForbidden for parts that
 * cannot be had, Unavailable for what may go away by itself.
 */
export const create = (deps: Deps, { networks }: Config) => {
  return async (event: unknown, invocation: Invocation): Promise<BootImageReply> => {
    const { data: wanted, error } = bootImageRequest.safeParse(event);
    if (error)
      throw new Fault('BootImageMalformed', 400, `The request for a boot image does not fit: ${error.message}`);
    const until = deps.clock.now() + turn;
    const end = AbortSignal.timeout(Math.max(0, invocation.remaining_ms() - hangUp));
    const open = deps.open ?? createOpen(networks, end);
    const isTime = () => deps.clock.now() < until && invocation.remaining_ms() > spare;
    const image = await describe(deps, open, wanted);
    const key = bootImageKey(image.id);
    if ((await deps.objects.size(key)) === undefined) {
      if (!wanted.build) return { status: 'absent', key };
      const unfinished = await build(deps, open, wanted, image, isTime);
      if (unfinished) return unfinished;
    }
    return { status: 'ready', key, image: await deps.objects.link(key, wanted.seconds) };
  };
};
