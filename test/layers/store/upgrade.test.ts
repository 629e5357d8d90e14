import { createMemoryTable } from '../../../layers/platform/memory/table.ts';
import { describeUpgrade } from '../../conformance/upgrade.ts';

describeUpgrade('in memory', async (items) => {
  const table = createMemoryTable();
  for (const put of items) await table.write([{ put }]);
  return { table };
});
