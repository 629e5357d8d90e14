/** A process under write load: 32 writers, each prints the name of an item once the table has acknowledged it. */
import { connect } from '../../../local/rpc.ts';
import { startTable } from '../../../local/table/start.ts';
import { openTable } from '../../../local/table/table.ts';
import type { Writer } from '../../../local/table/writer.ts';

const path = process.argv[2]!;
const thread = await startTable(path);
const table = openTable({ path, writer: connect<Writer>(thread.port()) });

const writeOn = async (writer: number): Promise<never> => {
  for (let count = 0; ; count += 1) {
    const name = `${writer}-${count}`;
    const pk = `load#${name}`;
    await table.write([
      { put: { pk, sk: name, body: 'x'.repeat(2500) } },
      { put: { pk, sk: 'pair' } },
      { put: { pk: 'load', sk: name } },
    ]);
    process.stdout.write(`${name}\n`);
  }
};
await Promise.all(Array.from({ length: 32 }, async (_, writer) => writeOn(writer)));
