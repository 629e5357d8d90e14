/** `sync` on AWS: called by a schedule, and by EventBridge when an execution ends badly. */
import { awsClock, awsIds, awsLog, awsObjects, awsTable, awsWorkflows } from '../../layers/store/aws/ports.ts';
import { create, type Report } from './app.ts';

const { env } = process;

const app = create({
  table: awsTable(env),
  objects: awsObjects(env),
  workflows: awsWorkflows(env),
  log: awsLog('sync'),
  clock: awsClock(),
  ids: awsIds(),
});

export const handler = async (event: unknown): Promise<Report> => app(event);
