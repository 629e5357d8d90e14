import { systemChance } from '../../../../layers/platform/chance.ts';
import { systemClock } from '../../../../layers/platform/clock.ts';
import { createAwsTable } from '../../../../layers/platform/aws/table.ts';
import { describeUpgrade } from '../../../conformance/upgrade.ts';
import { startDynamo } from './dynamodb.ts';

describeUpgrade('on DynamoDB', async (items) => {
  // The indexes stay until they are taken away one by one (docs/aws.md).
  const { client, name, stop } = await startDynamo(['list', 'by_busy', 'by_free', 'by_provision_state', 'by_owner']);
  const table = createAwsTable({ client, name, clock: systemClock, chance: systemChance });
  for (const put of items) await table.write([{ put }]);
  return { table, close: stop };
});
