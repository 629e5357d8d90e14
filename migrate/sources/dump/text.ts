/** The text of a dump, packed by gzip or not, in the character set that it is in. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { TextDecoder } from 'node:util';
import { createGunzip } from 'node:zlib';

import { Invalid } from '../../../layers/domain/fault.ts';
import { charsetOf, type DialectName, dialectOf, dialects } from './dialect.ts';

const headSize = 64 * 1024;

/** The first bytes of a file, by which its kind is told. Throws Invalid if it can not be read. */
export const firstBytes = async (path: string): Promise<Buffer> => {
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw Invalid(
      `The file ${path} can not be read: ${(error as NodeJS.ErrnoException).code ?? 'no reason given'}.`,
      error,
    );
  }
};

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

const bytesOf = async function* (path: string): AsyncGenerator<Buffer> {
  const file = createReadStream(path, { highWaterMark: headSize });
  const packed = isGzip(await firstBytes(path));
  // The error of either ends the reading of the last one.
  const stream = packed ? pipeline(file, createGunzip(), () => undefined) : file;
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (error) {
    throw Invalid(
      `${path} can not be read to its end: ${(error as NodeJS.ErrnoException).code ?? 'no reason given'}.`,
      error,
    );
  }
};

export type Head = { readonly text: string; readonly dialect: DialectName };

/** How a dump begins, and so what it is. Throws Invalid. */
export const headOf = async (path: string): Promise<Head> => {
  let bytes = Buffer.alloc(0);
  for await (const chunk of bytesOf(path)) {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length >= headSize) break;
  }
  const text = bytes.subarray(0, headSize).toString('latin1');
  if (text.startsWith('PGDMP')) {
    throw Invalid(`${path} is an archive of pg_dump: make SQL of it by \`pg_restore --file=nova_bm.sql ${path}\`.`);
  }
  const dialect = dialectOf(text);
  if (dialect) return { text, dialect };
  const programs = Object.values(dialects).map(({ program }) => program);
  throw Invalid(`${path} is neither an SQLite database nor a dump as ${programs.join(', ')} write it.`);
};

const decoderFor = (charset: string): TextDecoder => {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch (error) {
    throw Invalid(`The character set ${charset} is not known: give --source-charset, such as utf-8 or latin1.`, error);
  }
};

/** Piece by piece; `charset` instead of what the head says. Throws Invalid for bytes that are no text in it. */
export const textOf = async function* (path: string, { text }: Head, charset?: string): AsyncGenerator<string> {
  const decoder = decoderFor(charset ?? charsetOf(text));
  const decode = (bytes?: Buffer): string => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
    } catch (error) {
      throw Invalid(
        `bytes that are no ${decoder.encoding}: say by --source-charset what its texts are in, such as latin1.`,
        error,
      );
    }
  };
  for await (const chunk of bytesOf(path)) yield decode(chunk);
  yield decode();
};
