/**
 * Builds ISO 9660 images with Joliet and Rock Ridge names: small ones in memory, of others all but their large files. Both
 * trees point to the same file extents; files with equal content share one. UEFI boots an image that has an El Torito
 * catalogue with a file system of boot loaders in it (El Torito 1.0; UEFI 2.10, 13.3.2.1).
 */
import { bootCatalogue, bootRecord } from './el-torito.ts';
import { directoryRecord, longDate, both16, both32, pathRecord, rockRidge, sector } from './iso-record.ts';

export type IsoFile = { readonly path: string; readonly data: Uint8Array };
export type IsoOptions = {
  /** Volume label, at most 16 characters (Joliet's limit); written as given, also in lower case. */
  readonly label: string;
  /** Paths are relative with `/` between names, e.g. `openstack/latest/user_data`. */
  readonly files: readonly IsoFile[];
  /** Time of every entry and of the volume. */
  readonly date?: Date;
};

/** A file whose content is put behind the head, by whoever has it. `size` is in bytes, below 4 GiB. */
export type LargeFile = { readonly path: string; readonly size: number };

export type HeadOptions = IsoOptions & {
  /** In this order they follow the head, each from a sector on. */
  readonly large: readonly LargeFile[];
  /** Which of those is the image of the EFI system partition that is booted. */
  readonly efi: string;
};

/** The bytes before the large files, where each of those begins, and the size of the whole: bytes, multiples of 2,048. */
export type Head = { readonly bytes: Uint8Array; readonly starts: readonly number[]; readonly size: number };

type Directory = { readonly kind: 'directory'; readonly name: string; readonly children: Entry[]; parent: Directory };
/** `data` is missing of a large one. */
type File = {
  readonly kind: 'file';
  readonly name: string;
  readonly data?: Uint8Array;
  readonly size: number;
  extent: number;
};
type Entry = Directory | File;

/** How one of the two trees names things and what it adds to a record. */
type Form = {
  identifiers(directory: Directory): Map<Entry, Buffer>;
  fields?(entry: Entry | undefined, own: Directory, date: Date): Buffer[];
};

const sectors = (bytes: number) => Math.ceil(bytes / sector);
const isDirectory = (entry: Entry): entry is Directory => entry.kind === 'directory';
const subdirectories = (directory: Directory) => directory.children.filter(isDirectory);

const plant = (files: readonly (IsoFile | LargeFile)[]): Directory => {
  const root = { kind: 'directory', name: '', children: [] } as unknown as Directory;
  root.parent = root;
  for (const file of files) {
    const { path } = file;
    const names = path.split('/');
    const leaf = names.pop()!;
    if (!leaf || names.includes('')) throw new RangeError(`"${path}" is not a relative path.`);
    let at = root;
    for (const name of names) {
      let next = at.children.find((child): child is Directory => isDirectory(child) && child.name === name);
      if (!next) at.children.push((next = { kind: 'directory', name, children: [], parent: at }));
      at = next;
    }
    if (at.children.some((child) => child.name === leaf)) throw new RangeError(`"${path}" is there twice.`);
    const content = 'data' in file ? { data: file.data, size: file.data.length } : { size: file.size };
    at.children.push({ kind: 'file', name: leaf, ...content, extent: 0 });
  }
  return root;
};

/** Directories in the order of the path table: by level, then by parent, then by identifier (ECMA-119 6.9.1). */
const levels = (root: Directory, form: Form): Directory[] => {
  const all = [root];
  for (let at = 0; at < all.length; at += 1) {
    const names = form.identifiers(all[at]!);
    all.push(...subdirectories(all[at]!).sort((a, b) => Buffer.compare(names.get(a)!, names.get(b)!)));
  }
  return all;
};

/** d-characters only, at most 30 with one dot (interchange level 2), made unique by a number. */
const primaryName = (entry: Entry, taken: Set<string>): string => {
  const clean = (text: string) => text.toUpperCase().replace(/[^A-Z0-9_]/g, '_');
  const dot = isDirectory(entry) ? -1 : entry.name.lastIndexOf('.');
  const stem = clean(dot > 0 ? entry.name.slice(0, dot) : entry.name);
  const suffix = isDirectory(entry) ? '' : `.${clean(dot > 0 ? entry.name.slice(dot + 1) : '').slice(0, 8)}`;
  for (let number = 0; ; number += 1) {
    const tail = number ? `_${number}` : '';
    const name = `${stem.slice(0, 20 - tail.length)}${tail}${suffix}`;
    if (!taken.has(name)) return name;
  }
};

const primary: Form = {
  identifiers: ({ children }) => {
    const taken = new Set<string>();
    return new Map(
      children.map((entry) => {
        const name = primaryName(entry, taken);
        taken.add(name);
        return [entry, Buffer.from(isDirectory(entry) ? name : `${name};1`, 'ascii')];
      }),
    );
  },
  fields: (entry, own, date) => {
    const directory = !entry || isDirectory(entry);
    const of = (entry ?? own) as Directory;
    const links = directory ? 2 + subdirectories(of).length : 1;
    const common = [rockRidge.attributes(directory, links), rockRidge.times(date)];
    return entry ? [...common, rockRidge.name(entry.name)] : common;
  },
};

/** UCS-2 big-endian, at most 64 characters (Joliet). */
const joliet: Form = {
  identifiers: ({ children }) =>
    new Map(
      children.map((entry) => {
        if (entry.name.length > 64) throw new RangeError(`"${entry.name}" is longer than 64 characters.`);
        return [entry, Buffer.from(isDirectory(entry) ? entry.name : `${entry.name};1`, 'utf16le').swap16()];
      }),
    ),
};

/** Records never cross a sector boundary (ECMA-119 6.8.1.1). */
const packRecords = (records: readonly Buffer[]): Buffer => {
  const parts: Buffer[] = [];
  let used = 0;
  for (const record of records) {
    const left = sector - (used % sector);
    if (record.length > left) {
      parts.push(Buffer.alloc(left));
      used += left;
    }
    parts.push(record);
    used += record.length;
  }
  parts.push(Buffer.alloc(sectors(used) * sector - used));
  return Buffer.concat(parts);
};

type Placed = ReadonlyMap<Directory, { readonly extent: number; readonly size: number }>;

const directoryData = (own: Directory, form: Form, placed: Placed | undefined, date: Date): Buffer => {
  const root = own.parent === own;
  const place = (directory: Directory) => placed?.get(directory) ?? { extent: 0, size: 0 };
  const first = form.fields
    ? [
        ...(root ? [rockRidge.sharing()] : []),
        ...form.fields(undefined, own, date),
        ...(root ? [rockRidge.extension()] : []),
      ]
    : [];
  const second = form.fields?.(undefined, own.parent, date) ?? [];
  const self = { directory: true, date, identifier: Buffer.from([0]), ...place(own), fields: first };
  const up = { directory: true, date, identifier: Buffer.from([1]), ...place(own.parent), fields: second };
  const names = form.identifiers(own);
  const children = own.children
    .toSorted((a, b) => Buffer.compare(names.get(a)!, names.get(b)!))
    .map((entry) => ({
      identifier: names.get(entry)!,
      ...(isDirectory(entry) ? place(entry) : { extent: entry.extent, size: entry.size }),
      directory: isDirectory(entry),
      date,
      fields: form.fields?.(entry, own, date) ?? [],
    }));
  return packRecords([self, up, ...children].map(directoryRecord));
};

/** One tree laid out from a sector on: its path tables and directories. */
const layTree = (root: Directory, form: Form, start: number, date: Date) => {
  const directories = levels(root, form);
  const sizes = directories.map((directory) => directoryData(directory, form, undefined, date).length);
  const identifier = (directory: Directory) =>
    directory === root ? Buffer.from([0]) : form.identifiers(directory.parent).get(directory)!;
  const pathTable = (order: 'LE' | 'BE', placed: Placed) =>
    Buffer.concat(
      directories.map((directory) =>
        pathRecord(
          identifier(directory),
          placed.get(directory)!.extent,
          directories.indexOf(directory.parent) + 1,
          order,
        ),
      ),
    );
  const pathSize = directories.reduce(
    (sum, directory) => sum + pathRecord(identifier(directory), 0, 1, 'LE').length,
    0,
  );
  const pathSectors = sectors(pathSize);
  const placed = new Map<Directory, { extent: number; size: number }>();
  let next = start + 2 * pathSectors;
  directories.forEach((directory, index) => {
    placed.set(directory, { extent: next, size: sizes[index]! });
    next += sizes[index]! / sector;
  });
  const bytes = () => [
    ...(['LE', 'BE'] as const).map((order) => {
      const table = pathTable(order, placed);
      return Buffer.concat([table, Buffer.alloc(pathSectors * sector - table.length)]);
    }),
    ...directories.map((directory) => directoryData(directory, form, placed, date)),
  ];
  const rootRecord = () =>
    directoryRecord({ identifier: Buffer.from([0]), ...placed.get(root)!, directory: true, date });
  return { start, end: next, pathSize, pathSectors, bytes, rootRecord };
};

type Tree = ReturnType<typeof layTree>;
type Text = (value: string, bytes: number) => Buffer;

/** Blank-padded text: ASCII in the primary descriptor, UCS-2 big-endian in Joliet's. */
const ascii: Text = (value, bytes) => Buffer.from(value.padEnd(bytes), 'ascii').subarray(0, bytes);
const ucs2: Text = (value, bytes) =>
  Buffer.from(value.padEnd(bytes >> 1), 'utf16le')
    .swap16()
    .subarray(0, bytes);

/** A volume descriptor (ECMA-119 8.4, 8.5). */
const descriptor = (type: 1 | 2, tree: Tree, total: number, label: string, date: Date): Buffer => {
  const text = type === 1 ? ascii : ucs2;
  const bytes = Buffer.alloc(sector);
  const put = (at: number, value: Buffer) => value.copy(bytes, at);
  put(0, Buffer.from([type]));
  put(1, Buffer.from('CD001\u0001', 'latin1'));
  put(8, text('LINUX', 32));
  put(40, text(label, 32));
  put(80, both32(total));
  // Joliet level 3.
  if (type === 2) put(88, Buffer.from('%/E', 'ascii'));
  put(120, both16(1));
  put(124, both16(1));
  put(128, both16(sector));
  put(132, both32(tree.pathSize));
  bytes.writeUInt32LE(tree.start, 140);
  bytes.writeUInt32BE(tree.start + tree.pathSectors, 148);
  put(156, tree.rootRecord());
  for (const [at, size] of [
    [190, 128],
    [318, 128],
    [446, 128],
    [574, 128],
  ] as const)
    put(at, text('', size));
  for (const at of [702, 739, 776]) put(at, text('', 37));
  put(813, longDate(date));
  put(830, longDate(date));
  put(847, longDate(undefined));
  put(864, longDate(undefined));
  bytes[881] = 1;
  return bytes;
};

const terminator = Buffer.concat([Buffer.from('\u00ffCD001\u0001', 'latin1'), Buffer.alloc(sector - 7)]);

/** Gives every file its extent from a sector on; equal contents share one. Returns the data and the end. */
const placeFiles = (directory: Directory, start: number): { parts: Buffer[]; end: number } => {
  const known = new Map<string, number>();
  const parts: Buffer[] = [];
  let next = start;
  const visit = (entry: Entry): void => {
    if (isDirectory(entry)) return entry.children.forEach(visit);
    if (!entry.data || entry.data.length === 0) return undefined;
    const data = Buffer.from(entry.data);
    const content = data.toString('latin1');
    entry.extent = known.get(content) ?? next;
    if (known.has(content)) return undefined;
    known.set(content, next);
    parts.push(data, Buffer.alloc(sectors(data.length) * sector - data.length));
    next += sectors(data.length);
    return undefined;
  };
  visit(directory);
  return { parts, end: next };
};

/** Two descriptors and their end, as all images have them; `before`: what stands between the first and the others. */
const volume = (
  trees: readonly [Tree, Tree],
  total: number,
  { label, date = new Date(0) }: IsoOptions,
  before: Buffer[],
) => [
  Buffer.alloc(16 * sector),
  descriptor(1, trees[0], total, label, date),
  ...before,
  descriptor(2, trees[1], total, label, date),
  terminator,
];

/**
 * The image as bytes, a multiple of 2,048. Throws RangeError for a path that is not relative, is there twice, or has
 * a name over 64 characters.
 */
export const buildIso = (options: IsoOptions): Uint8Array => {
  const { files, date = new Date(0) } = options;
  const root = plant(files);
  // 16 sectors are the system area, three the descriptors.
  const first = layTree(root, primary, 19, date);
  const second = layTree(root, joliet, first.end, date);
  const { parts, end } = placeFiles(root, second.end);
  return Buffer.concat([...volume([first, second], end, options, []), ...first.bytes(), ...second.bytes(), ...parts]);
};

const fileAt = (root: Directory, path: string): File => {
  const names = path.split('/');
  const leaf = names.pop()!;
  const directory = names.reduce((at, name) => subdirectories(at).find((child) => child.name === name)!, root);
  return directory.children.find((child): child is File => !isDirectory(child) && child.name === leaf)!;
};

/**
 * The image but for its large files, whose places it has. Throws RangeError as `buildIso` does, and for a file of 4 GiB,
 * which a directory record cannot have.
 */
export const buildHead = (options: HeadOptions): Head => {
  const { files, large, efi, date = new Date(0) } = options;
  const huge = large.find(({ size }) => size >= 2 ** 32);
  if (huge) throw new RangeError(`"${huge.path}" has ${huge.size} bytes, ${2 ** 32 - 1} are possible.`);
  const root = plant([...files, ...large]);
  // The boot record is one descriptor more, and has to be the second; the catalogue is the sector behind the last.
  const catalogue = 20;
  const first = layTree(root, primary, catalogue + 1, date);
  const second = layTree(root, joliet, first.end, date);
  const { parts, end } = placeFiles(root, second.end);
  let next = end;
  const starts = large.map(({ path, size }) => {
    const at = next;
    fileAt(root, path).extent = at;
    next += sectors(size);
    return at * sector;
  });
  const booted = fileAt(root, efi);
  const bytes = Buffer.concat([
    ...volume([first, second], next, options, [bootRecord(catalogue)]),
    bootCatalogue(booted.extent, booted.size),
    ...first.bytes(),
    ...second.bytes(),
    ...parts,
  ]);
  return { bytes, starts, size: next * sector };
};
