/** What an operator may decide, and what is said of a value that is none. */
import { App } from 'aws-cdk-lib';
import { expect, it } from 'vitest';

import { readContext } from '../../infra/context.ts';

const read = (context: Record<string, unknown>) => readContext(new App({ context }));

it.each([
  ['bmc_ports', '0', '"0" is no port'],
  ['bmc_ports', '443,65536', '"65536" is no port'],
  ['bmc_ports', 'https', '"https" is no port'],
  ['bmc_ports', '443-999', '"443-999" is no port'],
  ['bmc_ports', [443, 4.5], '"4.5" is no port'],
  ['bmc_ports', '', 'is empty'],
  ['bmc_networks', '10.1.0.0', '"10.1.0.0" is no network'],
  ['bmc_networks', '10.1.0.0/16,10.2.0.0/33', '"10.2.0.0/33" is no network'],
  ['bmc_networks', ',', 'is empty'],
  ['stack_name', 'my stack', 'has to begin with a letter'],
  ['stack_name', '1st', 'has to begin with a letter'],
  ['vpc_id', 'my-vpc', 'is no id of a VPC'],
  ['subnet_ids', 'subnet-1,vpc-1', '"vpc-1" is no id of a subnet'],
  ['availability_zones', 'eu-central-1', '"eu-central-1" is no zone'],
  ['vpc_endpoint_ids', 'vpc-1', '"vpc-1" is no id of a VPC endpoint'],
  ['dynamodb_prefix_list', 'com.amazonaws.eu-central-1.dynamodb', 'is no id of a prefix list'],
  ['users_path', 'users', 'is no path of SSM parameters'],
  ['users_path', '/aws/users', 'is no path of SSM parameters'],
  ['users_path', '/ingot/users/', 'is no path of SSM parameters'],
  ['alarm_topic_arn', 'people', 'is no ARN of an SNS topic'],
  ['endpoint_type', 'EDGE', 'expected one of'],
  ['former_indexes', 'two', 'expected number'],
  ['reserve_workflow', 'many', 'has to be a whole number'],
  ['web_acl_rate', '9', 'has to be a whole number from 10 on'],
  ['deployment', 'SLOWLY', 'expected one of'],
])('takes no %s %j, and says what is wrong with it', (name, value, words) => {
  expect(() => read({ [name]: value })).toThrow(/^CDK context: /);
  expect(() => read({ [name]: value })).toThrow(words);
  expect(() => read({ [name]: value })).toThrow(`at ${name}`);
});

it('takes several values by commas, or as a list or numbers of cdk.json', () => {
  expect(read({}).bmc_ports).toEqual(['443', '9999']);
  expect(read({ bmc_ports: '443, 8443' }).bmc_ports).toEqual(['443', '8443']);
  expect(read({ bmc_ports: [1, '65535'] }).bmc_ports).toEqual(['1', '65535']);
  expect(read({ bmc_ports: 443 }).bmc_ports).toEqual(['443']);
  expect(read({ bmc_networks: '10.1.0.0/16,fd00:10::/32' }).bmc_networks).toEqual(['10.1.0.0/16', 'fd00:10::/32']);
});

it('takes a hardware network of an account in another part of AWS', () => {
  const site = {
    vpc_id: 'vpc-0123456789abcdef0',
    subnet_ids: 'subnet-1,subnet-2',
    availability_zones: 'us-gov-west-1a,us-west-2-lax-1b',
    alarm_topic_arn: 'arn:aws-us-gov:sns:us-gov-west-1:111122223333:people',
  };
  expect(read(site)).toMatchObject({
    ...site,
    subnet_ids: ['subnet-1', 'subnet-2'],
    availability_zones: expect.any(Array),
  });
});
