/** The image of an EFI system partition: a FAT12 with a file where firmware looks for a boot loader. */

const sector = 512;
const sectors = 64;
/** Clusters have one sector; the first has number 2 and follows the one sector of the root directory. */
const firstCluster = 3;

const directory = 0x10;

const entry = (name: string, attributes: number, cluster: number, size = 0): Buffer => {
  const bytes = Buffer.alloc(32);
  bytes.write(name.padEnd(11), 0, 'latin1');
  bytes[11] = attributes;
  bytes.writeUInt16LE(cluster, 26);
  bytes.writeUInt32LE(size, 28);
  return bytes;
};

const bootSector = (): Buffer => {
  const bytes = Buffer.alloc(sector);
  bytes.write('\u00eb\u003c\u0090INGOT   ', 0, 'latin1');
  bytes.writeUInt16LE(sector, 11);
  // Sectors a cluster, reserved sectors, tables, entries of the root directory, sectors, medium, sectors a table.
  bytes[13] = 1;
  bytes.writeUInt16LE(1, 14);
  bytes[16] = 1;
  bytes.writeUInt16LE(sector / 32, 17);
  bytes.writeUInt16LE(sectors, 19);
  bytes[21] = 0xf8;
  bytes.writeUInt16LE(1, 22);
  bytes[38] = 0x29;
  bytes.write('ESP_IMAGE  FAT12   ', 43, 'latin1');
  bytes.writeUInt16LE(0xaa55, 510);
  return bytes;
};

/** The medium's entry, the end mark, and three chains of one cluster each, in 12 bits. */
const table = Buffer.from([0xf8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]);

/** The image. `loader`: what stands in EFI/BOOT/BOOTX64.EFI, at most 512 bytes. */
export const buildEsp = (loader: Buffer): Buffer => {
  const image = Buffer.alloc(sectors * sector);
  const put = (at: number, ...parts: Buffer[]) => image.set(Buffer.concat(parts), at * sector);
  put(0, bootSector());
  put(1, table);
  put(2, entry('EFI', directory, 2));
  put(firstCluster, entry('.', directory, 2), entry('..', directory, 0), entry('BOOT', directory, 3));
  put(
    firstCluster + 1,
    entry('.', directory, 3),
    entry('..', directory, 2),
    entry('BOOTX64 EFI', 0x20, 4, loader.length),
  );
  put(firstCluster + 2, loader);
  return image;
};
