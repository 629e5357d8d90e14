import { systemChance } from '../../../../layers/platform/chance.ts';
import { systemClock } from '../../../../layers/platform/clock.ts';
import { createAwsTable } from '../../../../layers/platform/aws/table.ts';
import { describeTable } from '../../../conformance/table.ts';
import { startDynamo } from './dynamodb.ts';

describeTable('the table on DynamoDB', async () => {
  const { client, name, stop } = await startDynamo();
  return { table: createAwsTable({ client, name, clock: systemClock, chance: systemChance }), close: stop };
});
