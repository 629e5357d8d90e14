/** What an operator decides per deployment, from CDK context (`cdk.json` or `-c name=value`). A wrong value stops synth. */
import type { Construct } from 'constructs';
import { z } from 'zod';

import { formerIndexCount } from './former-indexes.ts';
import { resolveSettings, type Settings } from './settings.ts';

/** `-c` gives one text with commas, cdk.json maybe a list, or numbers. */
const textsOf = (given: unknown): string[] | undefined => {
  if (given === undefined) return undefined;
  const values = (Array.isArray(given) ? given : [given]) as (string | number)[];
  const texts = values.flatMap((value) => String(value).split(','));
  return texts.map((text) => text.trim()).filter(Boolean);
};

/** Several values of a kind; `words` say of another one what it is not. What is `standard` nobody can do without. */
const listOf = (words: string, fits: (text: string) => boolean, standard: string[] = []) =>
  z.preprocess(
    textsOf,
    z
      .array(z.string().refine(fits, { error: ({ input }) => `"${String(input)}" is no ${words}` }))
      .min(Math.min(standard.length, 1), 'is empty; leave it out instead')
      .default(standard),
  );

/** For values that name something: an empty one is a variable of a script that was not set, not a wish. */
const name = z.string().min(1, 'is empty; leave it out instead');

/** What AWS knows by an id, or ARN, of this shape. */
const idOf = (words: string, shape: RegExp) => name.regex(shape, `is no ${words}`);

const isLike = (shape: RegExp) => (text: string) => shape.test(text);

const isPort = (text: string) => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;

const network = z.union([z.cidrv4(), z.cidrv6()]);
const isNetwork = (text: string) => network.safeParse(text).success;

/** How many may run at once, kept free for a function and more it never gets. -c gives text, cdk.json maybe a number. */
const reserve = (standard: number, what: string) =>
  z.coerce
    .string()
    .regex(/^\d{1,5}$/, 'has to be a whole number; 0: none of its own')
    .transform(Number)
    .default(standard)
    .describe(`How many ${what} run at once, reserved for them and never more; 0: as many as the account has left.`);

const Context = z.object({
  stack_name: name
    .regex(
      /^[A-Za-z][A-Za-z0-9_-]{0,39}$/,
      'has to begin with a letter and to have at most 40 letters, digits, - and _',
    )
    .default('ingot')
    .describe('Prefix of the names of state machines and log groups.'),
  endpoint_type: z
    .enum(['REGIONAL', 'PRIVATE'])
    .default('REGIONAL')
    .describe('REGIONAL, or PRIVATE for an API that only VPC endpoints reach.'),
  vpc_endpoint_ids: listOf('id of a VPC endpoint (vpce-...)', isLike(/^vpce-[0-9a-z]+$/)).describe(
    'With PRIVATE: the execute-api VPC endpoints that may call.',
  ),
  vpc_id: idOf('id of a VPC (vpc-...)', /^vpc-[0-9a-z]+$/)
    .optional()
    .describe(
      'The VPC that reaches the hardware network. Without it an isolated one is made, which you connect (Direct Connect, VPN).',
    ),
  subnet_ids: listOf('id of a subnet (subnet-...)', isLike(/^subnet-[0-9a-z]+$/)).describe(
    'With vpc_id: the subnets in which the BMC proxy stands.',
  ),
  availability_zones: listOf('zone, such as eu-central-1a', isLike(/^[a-z]{2}-[a-z0-9-]+-\d+[a-z]$/)).describe(
    'With vpc_id: the zone of each of the subnets, in the same order.',
  ),
  bmc_networks: listOf('network; write it like 10.1.0.0/16', isNetwork, ['10.0.0.0/8']).describe(
    'Networks (CIDR) of BMCs and agents: the outward rules of the proxy, and its own allow-list.',
  ),
  dynamodb_prefix_list: idOf('id of a prefix list (pl-...)', /^pl-[0-9a-z]+$/)
    .optional()
    .describe(
      "Without vpc_id: AWS's prefix list of DynamoDB in the region (pl-..., `aws ec2 describe-managed-prefix-lists`). The proxy's security group then lets it out to BMCs, that list and KMS alone; else to port 443 of anything that the VPC has a route to.",
    ),
  bmc_ports: listOf('port from 1 to 65535', isPort, ['443', '9999']).describe(
    'Ports of BMCs and agents that the proxy may connect to.',
  ),
  htpasswd_file: name
    .optional()
    .describe('File with the users of http_basic: lines of `htpasswd -nbB`, so bcrypt hashes, not passwords.'),
  users_file: name
    .optional()
    .describe('File with more users of http_basic, each with a project and roles: user:bcrypt-hash:project:role,...'),
  users_path: z
    .string()
    .regex(/^(?!\/(?:aws|ssm))(\/[A-Za-z0-9._-]+)+$/i, 'is no path of SSM parameters, such as /ingot/users')
    .optional()
    .describe(
      'Path of SSM parameters, such as /ingot/users, with more users of http_basic, one each: any number, changed by `npx ingot users` without a deployment.',
    ),
  former_indexes: z.coerce
    .number()
    .int()
    .min(0)
    .max(formerIndexCount)
    .default(0)
    .describe('Update from the first version: how many of its secondary indexes are kept for the moment.'),
  reserve_authorizer: reserve(50, 'checks of who calls'),
  reserve_ramdisk_api: reserve(50, 'requests of deploy agents'),
  reserve_workflow: reserve(200, 'phases of machines'),
  reserve_bmc_proxy: reserve(200, 'conversations with BMCs'),
  web_acl_rate: z.coerce
    .string()
    .regex(/^(0|\d{2,7})$/, 'has to be a whole number from 10 on, or 0: no web ACL')
    .transform(Number)
    .default(0)
    .describe(
      'How many requests one address may make to each API in five minutes (10 or more) before a web ACL refuses the rest; 0: no web ACL.',
    ),
  deployment: z
    .enum([
      'CANARY_10PERCENT_10MINUTES',
      'CANARY_10PERCENT_30MINUTES',
      'LINEAR_10PERCENT_EVERY_3MINUTES',
      'ALL_AT_ONCE',
    ])
    .default('CANARY_10PERCENT_10MINUTES')
    .describe(
      'How a new version of the APIs takes over; an alarm meanwhile takes it back. ALL_AT_ONCE where the changelog asks for it.',
    ),
  alarm_topic_arn: idOf('ARN of an SNS topic', /^arn:[a-z-]+:sns:[a-z0-9-]+:\d{12}:[\w-]+$/)
    .optional()
    .describe('SNS topic that the alarms go to. Without it they only show.'),
});

export type Context = z.output<typeof Context>;

/** Each value with its default (empty: none) and what it means, for the documents. */
export const contextDocs = (): { name: string; default: string; doc: string }[] =>
  Object.entries(Context.shape).map(([name, schema]) => ({
    name,
    default: String(schema.safeParse(undefined).data ?? ''),
    doc: schema.description ?? '',
  }));

/** What is reserved for a function; undefined: nothing. */
export const reserveOf = (context: Context, name: string): number | undefined => {
  const reserves: Readonly<Record<string, unknown>> = context;
  return (reserves[`reserve_${name.replaceAll('-', '_')}`] as number | undefined) || undefined;
};

/** The CDK CLI ends a value at its first newline, so nobody could tell one user from the first of several. */
const refuseUsers = (scope: Construct): void => {
  if (scope.node.tryGetContext('htpasswd') === undefined) return;
  throw new Error(
    'CDK context: htpasswd is not taken, because -c cuts a value at its first newline and would deploy one user only. ' +
      'Name the file instead: -c htpasswd_file=htpasswd',
  );
};

/** Reads and checks the context of a construct. Throws with the name of a wrong value. */
export const readContext = (scope: Construct): Context => {
  refuseUsers(scope);
  const given = Object.fromEntries(
    Object.keys(Context.shape).map((name) => [name, scope.node.tryGetContext(name) as unknown]),
  );
  const { success, data, error } = Context.safeParse(given);
  if (!success) throw new Error(`CDK context: ${z.prettifyError(error)}`);
  if (data.vpc_id && (data.subnet_ids.length === 0 || data.availability_zones.length !== data.subnet_ids.length)) {
    throw new Error('CDK context: vpc_id needs subnet_ids and as many availability_zones, comma separated.');
  }
  if (data.endpoint_type === 'PRIVATE' && data.vpc_endpoint_ids.length === 0) {
    throw new Error(
      'CDK context: endpoint_type PRIVATE needs vpc_endpoint_ids, comma separated: without one nobody could call the APIs.',
    );
  }
  return data;
};

/** The value of each setting of the manifest: context of the same name, else its default. Throws Invalid. */
export const readSettings = (scope: Construct): Settings =>
  resolveSettings((name) => {
    const value = scope.node.tryGetContext(name) as string | number | boolean | undefined;
    return value === undefined ? undefined : `${value}`;
  });
