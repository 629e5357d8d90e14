/** Before each file of the project `dynamodb`: its suites are told of DynamoDB Local, and start no dynoxide. */
import { inject } from 'vitest';

process.env['INGOT_DYNAMODB_ENDPOINT'] = inject('dynamodb');
