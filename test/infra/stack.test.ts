/** The synthesised template: who may do what, and that it is what the manifest says. Not a snapshot. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { App } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';

import { type ApiRow, apis, functions, layout, settings, tables, workflows } from '../../infra/manifest.ts';
import { IngotStack } from '../../infra/stack.ts';
import type { WorkflowName } from '../../workflows/index.ts';
import { readDefinition } from '../../workflows/run/asl.ts';

type Statement = { Action: string | string[]; Resource: unknown; Effect: string; Condition?: unknown };
type Resource = { Type: string; Properties: Record<string, unknown>; DependsOn?: unknown };

const synthesise = (context: Record<string, unknown> = {}) => {
  // Without bundling: what is in the bundles is the business of other tests.
  const app = new App({ context: { 'aws:cdk:bundling-stacks': [], ...context } });
  return Template.fromStack(new IngotStack(app, 'Ingot'));
};

const template = synthesise();
const resources = template.toJSON()['Resources'] as Record<string, Resource>;
const ofType = (type: string) => Object.entries(resources).filter(([, resource]) => resource.Type === type);

/** Logical ids start with the construct's path: `bmcproxyFunction...`. */
const prefixOf = (name: string) => `${name.replaceAll('-', '')}Function`;
const functionOf = (name: string) =>
  ofType('AWS::Lambda::Function').find(([id]) => id.startsWith(prefixOf(name)))![1].Properties;

/** Everything the inline policies of a function's role allow. */
const statementsOf = (name: string): Statement[] =>
  ofType('AWS::IAM::Policy')
    .filter(([id]) => id.startsWith(`${prefixOf(name)}ServiceRole`))
    .flatMap(([, { Properties }]) => (Properties['PolicyDocument'] as { Statement: Statement[] }).Statement);
const actionsOf = (name: string) => statementsOf(name).flatMap(({ Action }) => Action);
const may = (name: string, action: string, resource: string) =>
  statementsOf(name).some(
    ({ Action, Resource }) => [Action].flat().includes(action) && JSON.stringify(Resource).includes(resource),
  );

const names = Object.keys(functions) as (keyof typeof functions)[];

describe('a body larger than AWS takes', () => {
  it('is answered in the form of Ironic, with the way to send a configdrive', () => {
    const responses = ofType('AWS::ApiGateway::GatewayResponse').map(([, { Properties }]) => Properties);
    const large = responses.find(({ ResponseType }) => ResponseType === 'REQUEST_TOO_LARGE');
    expect(large).toMatchObject({ StatusCode: '413' });
    const { 'application/json': text } = large!['ResponseTemplates'] as Record<string, string>;
    expect(JSON.parse(text!)).toEqual({
      faultcode: 'Client',
      faultstring: expect.stringContaining('POST /v1/nodes/{node}/configdrive'),
    });
    // API Gateway would take it for a variable of its own.
    expect(text).not.toContain('$');
  });
});

describe('the template and the manifest', () => {
  it('have the same functions, with the same memory and time limit', () => {
    for (const name of names) {
      expect(functionOf(name)).toMatchObject({
        MemorySize: functions[name].memory,
        Timeout: functions[name].timeout,
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
      });
    }
    // CDK's own closes the default security group, as long as a deployment takes.
    const others = ofType('AWS::Lambda::Function').filter(([id]) => !id.startsWith('CustomVpcRestrictDefaultSG'));
    expect(others).toHaveLength(names.length);
  });

  it('have the same routes, with the authorizer where the row asks for it', () => {
    const methods = ofType('AWS::ApiGateway::Method');
    const rows = Object.entries<ApiRow>(apis).flatMap(([api, { routes }]) => routes.map((row) => [api, row] as const));
    expect(methods).toHaveLength(rows.length);
    for (const [api, row] of rows) {
      const [name, path] = row.at.split(' ') as [string, string];
      const construct = api === 'baremetal' ? '' : `${api[0]!.toUpperCase()}${api.slice(1)}`;
      const id = `${construct}ApiRest${path.replaceAll(/[^A-Za-z0-9]/g, '')}${name}`;
      const [, method] = methods.find(([logical]) => logical.startsWith(id))!;
      expect([row.at, method.Properties['AuthorizationType']]).toEqual([row.at, row.authorize ? 'CUSTOM' : 'NONE']);
      expect(JSON.stringify(method.Properties['Integration'])).toContain(`${row.function.replaceAll('-', '')}Live`);
    }
  });

  it('have the same workflows, with the settings as substitutions', () => {
    const machines = ofType('AWS::StepFunctions::StateMachine').map(([, { Properties }]) => Properties);
    expect(machines.map(({ StateMachineName }) => StateMachineName as string).sort()).toEqual(
      Object.keys(workflows)
        .map((name) => `ingot-${name}`)
        .sort(),
    );
    for (const machine of machines) {
      const { runner } = workflows[(machine['StateMachineName'] as string).replace('ingot-', '') as WorkflowName];
      expect(Object.keys(machine['DefinitionSubstitutions'] as object).toSorted()).toEqual(
        [runner.replaceAll('-', '_'), ...Object.keys(settings)].toSorted(),
      );
    }
  });

  it('have the same state machines, whole: the fragments of their stories are filled in', () => {
    const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
    void new IngotStack(app, 'Ingot');
    const { directory } = app.synth();
    const files = globSync('asset.*.json', { cwd: directory }).map((file) =>
      readFileSync(join(directory, file), 'utf8'),
    );
    const missing = Object.keys(workflows).filter((name) => !files.includes(readDefinition(name)));
    expect(missing).toEqual([]);
  });

  it('have the same tables', () => {
    const found = ofType('AWS::DynamoDB::GlobalTable');
    expect(found).toHaveLength(Object.keys(tables).length);
    for (const { construct } of Object.values(tables)) {
      const [, { Properties }] = found.find(([id]) => id.startsWith(`Data${construct}`))!;
      expect(Properties).toMatchObject({
        KeySchema: [
          { AttributeName: layout.partition, KeyType: 'HASH' },
          { AttributeName: layout.sort, KeyType: 'RANGE' },
        ],
        TimeToLiveSpecification: { AttributeName: layout.ttl, Enabled: true },
      });
      // What lists read are items of the table (ADR 16).
      expect(Properties).not.toHaveProperty('GlobalSecondaryIndexes');
    }
  });
});

it('leaves behind, when it is destroyed, what docs/aws.md lists and nothing else', () => {
  const left = Object.values(
    template.toJSON()['Resources'] as Record<string, { Type: string; DeletionPolicy?: string }>,
  )
    .filter(({ DeletionPolicy }) => DeletionPolicy === 'Retain')
    .map(({ Type }) => Type);
  const count = (type: string) => left.filter((one) => one === type).length;
  expect([...new Set(left)].toSorted()).toEqual([
    'AWS::ApiGateway::Account',
    'AWS::DynamoDB::GlobalTable',
    'AWS::IAM::Role',
    'AWS::KMS::Key',
    // Versions go with their function or state machine.
    'AWS::Lambda::Version',
    'AWS::Logs::LogGroup',
    'AWS::S3::Bucket',
    'AWS::StepFunctions::StateMachineVersion',
  ]);
  expect(['AWS::DynamoDB::GlobalTable', 'AWS::KMS::Key', 'AWS::S3::Bucket', 'AWS::IAM::Role'].map(count)).toEqual([
    2, 3, 1, 1,
  ]);
});

describe('the look at the power of all machines', () => {
  const rules = (given: Template) =>
    Object.entries(given.findResources('AWS::Events::Rule'))
      .filter(([id]) => id.startsWith('PowerSyncSchedule'))
      .map(([, { Properties }]) => Properties as { ScheduleExpression: string; Targets: unknown });

  it('is scheduled as the setting says', () => {
    expect(rules(template).map(({ ScheduleExpression }) => ScheduleExpression)).toEqual(['rate(30 minutes)']);
    expect(JSON.stringify(rules(template)[0]!.Targets)).toContain('powersyncLive');
    const often = synthesise({ sync_power_state_interval: '60' });
    expect(rules(often).map(({ ScheduleExpression }) => ScheduleExpression)).toEqual(['rate(1 minute)']);
  });

  it('is not scheduled when the setting is 0', () => {
    expect(rules(synthesise({ sync_power_state_interval: '0' }))).toEqual([]);
  });

  it('is refused where EventBridge does not know such times', () => {
    expect(() => synthesise({ sync_power_state_interval: '90' })).toThrow('sync_power_state_interval');
  });

  it('may call the proxy and start runs, and neither reach the network of BMCs nor open their passwords', () => {
    expect(functionOf('power-sync')).not.toHaveProperty('VpcConfig');
    expect(actionsOf('power-sync')).toEqual(expect.arrayContaining(['lambda:InvokeFunction', 'states:StartExecution']));
    expect(actionsOf('power-sync').filter((action) => action.startsWith('kms:'))).toEqual([]);
  });
});

describe('the routes that ask for no password', () => {
  const statements = (
    ofType('AWS::ApiGateway::RestApi')[0]![1].Properties['Policy'] as { Statement: Record<string, unknown>[] }
  ).Statement;

  it('are for agent_networks only: all else is denied before a function is called', () => {
    expect(statements).toEqual([
      { Effect: 'Allow', Principal: { AWS: '*' }, Action: 'execute-api:Invoke', Resource: 'execute-api:/*' },
      {
        Effect: 'Deny',
        Principal: { AWS: '*' },
        Action: 'execute-api:Invoke',
        Resource: [
          'execute-api:/*/GET/v1/lookup',
          'execute-api:/*/POST/v1/continue_inspection',
          'execute-api:/*/POST/v1/heartbeat/*',
        ],
        Condition: {
          NotIpAddress: { 'aws:SourceIp': ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'] },
        },
      },
    ]);
  });

  it('have one method each, with a throttle of its own', () => {
    const { MethodSettings } = ofType('AWS::ApiGateway::Stage')[0]![1].Properties as {
      MethodSettings: { HttpMethod: string; ResourcePath: string; ThrottlingRateLimit?: number }[];
    };
    const own = MethodSettings.filter(({ ThrottlingRateLimit: rate }) => rate === 50);
    // A slash of the path is ~1 in the name of a setting.
    expect(own.map(({ HttpMethod, ResourcePath }) => `${HttpMethod} ${ResourcePath.replaceAll('~1', '/')}`)).toEqual([
      'GET //v1/lookup',
      'POST //v1/heartbeat/{node_ident}',
      'POST //v1/continue_inspection',
    ]);
    const methods = ofType('AWS::ApiGateway::Method')
      .filter(([id]) => id.startsWith('ApiRest'))
      .map(([, { Properties }]) => Properties);
    const open = methods.filter(({ AuthorizationType }) => AuthorizationType === 'NONE');
    expect(open.map(({ HttpMethod }) => HttpMethod as string).sort()).toEqual(['ANY', 'ANY', 'GET', 'POST', 'POST']);
  });

  it('answer other methods as the one machine does', () => {
    const responses = ofType('AWS::ApiGateway::GatewayResponse').map(([, { Properties }]) => Properties);
    const other = responses.find(({ ResponseType }) => ResponseType === 'MISSING_AUTHENTICATION_TOKEN');
    expect(other).toMatchObject({ StatusCode: '405' });
  });
});

describe('the address of the API', () => {
  it('is told to who makes the media of agents, and to who asks for the key on them', () => {
    for (const name of ['workflow', 'ramdisk-api']) {
      const { Variables } = functionOf(name)['Environment'] as { Variables: Record<string, unknown> };
      expect(JSON.stringify(Variables['INGOT_AGENT_ENDPOINT'])).toMatch(/ApiRest.*execute-api.*\/api/);
    }
    const named = synthesise({ agent_endpoint: 'https://metal.test', agent_networks: '10.0.0.0/8' });
    named.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ INGOT_AGENT_ENDPOINT: 'https://metal.test' }) },
    });
  });
});

describe('roles', () => {
  it('are one a function', () => {
    const roles = names.map((name) => JSON.stringify(functionOf(name)['Role']));
    expect(new Set(roles).size).toBe(names.length);
  });

  it('let nobody but those who work on machines, or look after their power, invoke the proxy', () => {
    expect(names.filter((name) => may(name, 'lambda:InvokeFunction', prefixOf('bmc-proxy')))).toEqual([
      'workflow',
      'power-sync',
    ]);
  });

  it('let nobody but workflows have boot images built', () => {
    expect(names.filter((name) => may(name, 'lambda:InvokeFunction', prefixOf('boot-image')))).toEqual(['workflow']);
  });

  it('let only the proxy open secrets, and APIs, workflows and the proxy seal them', () => {
    expect(names.filter((name) => may(name, 'kms:Decrypt', 'DataSecretsKey'))).toEqual(['bmc-proxy']);
    expect(names.filter((name) => may(name, 'kms:Encrypt', 'DataSecretsKey'))).toEqual([
      'baremetal-api',
      'ramdisk-api',
      'workflow',
      'bmc-proxy',
    ]);
  });

  it('let only who makes the media of agents touch the tokens on them, and who sweeps them remove them unread', () => {
    for (const [action, who] of [
      ['s3:GetObject', ['workflow']],
      ['s3:PutObject', ['workflow']],
      ['s3:DeleteObject', ['workflow', 'sync']],
    ] as const) {
      expect([action, names.filter((name) => may(name, action, '/agents/*'))]).toEqual([action, who]);
    }
  });

  it('let nobody who sweeps, or who writes guest documents, read an object by that', () => {
    const reading = (what: string) => names.filter((name) => may(name, 's3:GetObject', what));
    for (const what of ['/configdrives/*', '/inventories/*', '/agents/*', '/images/*', '/guest-metadata/*']) {
      expect([what, reading(what).filter((name) => name.endsWith('sync'))]).toEqual([what, []]);
    }
    expect(reading('/guest-metadata/*')).toEqual([]);
    expect(names.filter((name) => may(name, 's3:PutObject', '/guest-metadata/*'))).toContain('sync');
  });

  it('let who answers strangers touch nodes and find them, and neither look through the table nor change what finds', () => {
    const own = statementsOf('ramdisk-api').filter(({ Action }) => JSON.stringify(Action).includes('dynamodb:'));
    const keys = (...partitions: string[]) => ({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions } });
    expect(own.map(({ Action, Condition }) => ({ Action, Condition }))).toEqual([
      {
        Action: ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query'],
        Condition: keys(
          'node#*',
          'unique#node_name#*',
          'unique#port_address#*',
          'index#node#provision_state#inspect wait#*',
          'upgrade',
        ),
      },
      {
        Action: ['dynamodb:ConditionCheckItem', 'dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
        Condition: keys('node#*', 'index#node#*'),
      },
    ]);
  });

  it('keep the proxy away from objects and workflows', () => {
    expect(actionsOf('bmc-proxy').filter((action) => /^(s3|states|lambda):/.test(action))).toEqual([]);
  });

  it('give the authorizer nothing but its trace', () => {
    expect(actionsOf('authorizer').filter((action) => !action.startsWith('xray:'))).toEqual([]);
  });

  it('name their resources: a star stands for traces and network interfaces only', () => {
    const wide = names.flatMap((name) =>
      statementsOf(name)
        .filter(({ Resource }) => Resource === '*')
        .flatMap(({ Action }) => Action)
        .filter((action) => !action.startsWith('xray:')),
    );
    expect(wide).toEqual([]);
  });
});

describe('the functions for tenants', () => {
  const ofTenants = names.filter((name) => functions[name].grants.some((grant) => (grant as string) === 'tenants'));
  const others = names.filter((name) => !ofTenants.includes(name));
  const tableIds = Object.fromEntries(
    Object.entries(tables).map(([name, { construct }]) => [
      name,
      ofType('AWS::DynamoDB::GlobalTable').find(([id]) => id.startsWith(`Data${construct}`))![0],
    ]),
  ) as Record<keyof typeof tables, string>;
  const mayTouch = (name: string, what: string) => JSON.stringify(statementsOf(name)).includes(what);

  it('are those of the APIs for tenants', () => {
    expect(ofTenants).toEqual(expect.arrayContaining(['compute-api', 'image-api', 'network-api']));
    for (const name of ofTenants) expect(may(name, 'dynamodb:GetItem', tableIds.tenants)).toBe(true);
  });

  it('have no right to the table of machines, and nobody has to both', () => {
    expect(ofTenants.filter((name) => mayTouch(name, tableIds.machines))).toEqual([]);
    expect(others.filter((name) => mayTouch(name, tableIds.tenants))).toEqual([]);
  });

  it('have no right to the BMC proxy, to the key of secrets, to media of agents or to objects of machines', () => {
    for (const what of [prefixOf('bmc-proxy'), 'DataSecretsKey', '/agents/*', '/configdrives/*', '/inventories/*']) {
      expect([what, ofTenants.filter((name) => mayTouch(name, what))]).toEqual([what, []]);
    }
  });

  it('leave images to the Image API, whose data others get by links alone', () => {
    for (const [action, who] of [
      ['s3:GetObject', ['image-api']],
      ['s3:PutObject', ['image-api']],
      // Who sweeps what no image refers to.
      ['s3:DeleteObject', ['image-api', 'server-sync']],
    ] as const) {
      expect([action, names.filter((name) => may(name, action, '/images/*'))]).toEqual([action, who]);
    }
  });

  it('neither stand in the hardware network nor call any function of ours: machines are reached over the wire', () => {
    expect(ofTenants.filter((name) => functionOf(name)['VpcConfig'] !== undefined)).toEqual([]);
    expect(ofTenants.flatMap(actionsOf).filter((action) => action.startsWith('lambda:'))).toEqual([]);
  });

  it('neither start nor tell runs of machines', () => {
    const owned = Object.keys(workflows).filter(
      (name) => workflows[name as keyof typeof workflows].runner === 'workflow',
    );
    const touching = owned.filter((run) => ofTenants.some((name) => mayTouch(name, `:ingot-${run}"`)));
    expect(touching).toEqual([]);
  });
});

describe('what strangers can use up', () => {
  const reserves = (of: Template) =>
    Object.fromEntries(
      Object.entries(of.findResources('AWS::Lambda::Function')).flatMap(([id, { Properties }]) => {
        const { ReservedConcurrentExecutions: reserve } = Properties as { ReservedConcurrentExecutions?: number };
        return reserve === undefined ? [] : [[id.replace(/Function.*/, ''), reserve]];
      }),
    );

  it('is a share of their own; what works on machines has one, too', () => {
    const given = { authorizer: 50, ramdiskapi: 50, workflow: 200, bmcproxy: 200 };
    expect(reserves(template)).toEqual(given);
    const limited = {
      reserve_authorizer: '20',
      reserve_ramdisk_api: 10,
      reserve_workflow: '0',
      reserve_bmc_proxy: '0',
    };
    expect(reserves(synthesise(limited))).toEqual({ authorizer: 20, ramdiskapi: 10 });
    for (const wrong of ['', '-1', 'many', '1.5']) {
      expect(() => synthesise({ reserve_workflow: wrong })).toThrow('reserve_workflow');
    }
  });
});

describe('the hardware network', () => {
  it('has only the proxy in it', () => {
    expect(names.filter((name) => functionOf(name)['VpcConfig'] !== undefined)).toEqual(['bmc-proxy']);
  });

  it('has a default security group through which nothing goes, and a log of what went', () => {
    expect(ofType('Custom::VpcRestrictDefaultSG')).toHaveLength(1);
    expect(ofType('AWS::EC2::FlowLog')).toHaveLength(1);
  });

  it('has no way to the internet', () => {
    expect(ofType('AWS::EC2::NatGateway')).toEqual([]);
    expect(ofType('AWS::EC2::InternetGateway')).toEqual([]);
  });

  it('lets the proxy out to the BMC networks and endpoints, and nothing in', () => {
    const limited = synthesise({ bmc_networks: '10.20.0.0/16', bmc_ports: '443' });
    limited.hasResourceProperties('AWS::EC2::SecurityGroup', {
      GroupDescription: Match.stringLikeRegexp('BMC proxy'),
      SecurityGroupIngress: Match.absent(),
      SecurityGroupEgress: [
        Match.objectLike({ CidrIp: '10.20.0.0/16', FromPort: 443, ToPort: 443 }),
        Match.objectLike({ CidrIp: '0.0.0.0/0', FromPort: 443, ToPort: 443 }),
      ],
    });
  });

  it('lets the proxy out to nothing else where the list of DynamoDB is named, and to BMCs with IPv6', () => {
    const limited = synthesise({ bmc_networks: 'fd00:10::/32', bmc_ports: '443', dynamodb_prefix_list: 'pl-1234' });
    limited.hasResourceProperties('AWS::EC2::SecurityGroup', {
      GroupDescription: Match.stringLikeRegexp('BMC proxy'),
      SecurityGroupEgress: [Match.objectLike({ CidrIpv6: 'fd00:10::/32', FromPort: 443, ToPort: 443 })],
    });
    limited.hasResourceProperties('AWS::EC2::SecurityGroupEgress', {
      DestinationPrefixListId: 'pl-1234',
      FromPort: 443,
      ToPort: 443,
    });
    limited.hasResourceProperties('AWS::EC2::SecurityGroupEgress', {
      DestinationSecurityGroupId: { 'Fn::GetAtt': [Match.stringLikeRegexp('KmsEndpoint'), 'GroupId'] },
      FromPort: 443,
    });
    expect(JSON.stringify(limited.findResources('AWS::EC2::SecurityGroup'))).not.toContain('0.0.0.0/0');
  });

  it('has endpoints for one table and one key: whose credentials are used there does not matter', () => {
    const policies = ofType('AWS::EC2::VPCEndpoint').map(([, { Properties }]) => Properties['PolicyDocument']);
    const statement = (Action: unknown, id: string) =>
      expect.objectContaining({ Action, Resource: { 'Fn::GetAtt': [expect.stringContaining(id), 'Arn'] } });
    expect(policies).toEqual([
      { Statement: [statement('dynamodb:*', 'DataTable')], Version: '2012-10-17' },
      { Statement: [statement(['kms:Decrypt', 'kms:Encrypt'], 'DataSecretsKey')], Version: '2012-10-17' },
    ]);
  });

  it('may be a VPC that exists', () => {
    const placed = synthesise({
      vpc_id: 'vpc-0123456789abcdef0',
      subnet_ids: 'subnet-1,subnet-2',
      availability_zones: 'eu-central-1a,eu-central-1b',
    });
    placed.resourceCountIs('AWS::EC2::VPC', 0);
    placed.hasResourceProperties('AWS::Lambda::Function', {
      VpcConfig: Match.objectLike({ SubnetIds: ['subnet-1', 'subnet-2'] }),
    });
  });
});

describe('what is kept', () => {
  it('is a table that can be restored and is not deleted by accident', () => {
    template.hasResource('AWS::DynamoDB::GlobalTable', {
      DeletionPolicy: 'Retain',
      Properties: {
        Replicas: [
          Match.objectLike({
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
            DeletionProtectionEnabled: true,
          }),
        ],
        SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
      },
    });
  });

  it('is a private, encrypted bucket that refuses plain HTTP and forgets unfinished uploads', () => {
    template.hasResourceProperties('AWS::S3::Bucket', {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          Match.objectLike({ ServerSideEncryptionByDefault: Match.objectLike({ SSEAlgorithm: 'aws:kms' }) }),
        ],
      },
      LifecycleConfiguration: {
        Rules: [Match.objectLike({ AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } })],
      },
    });
    template.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
        ]),
      },
    });
  });
});

describe('operators', () => {
  it('can follow every execution, in a log without its data: task tokens are among that', () => {
    for (const [, { Properties }] of ofType('AWS::StepFunctions::StateMachine')) {
      expect(Properties).toMatchObject({
        TracingConfiguration: { Enabled: true },
        LoggingConfiguration: { Level: 'ALL', IncludeExecutionData: false },
      });
    }
  });

  it('see in the log of each API who called, and why somebody was not let in; never a query, a body or a credential', () => {
    const stages = ofType('AWS::ApiGateway::Stage');
    expect(stages).toHaveLength(Object.keys(apis).length);
    for (const [, { Properties }] of stages) {
      const format = (Properties['AccessLogSetting'] as { Format: string }).Format;
      expect(JSON.parse(format)).toMatchObject({
        principal: '$context.authorizer.principalId',
        authorizerError: '$context.authorizer.error',
        status: '$context.status',
        path: '$context.path',
      });
      expect(format).not.toMatch(/header|querystring|body|authorizer\.token/i);
    }
  });

  it('get the endpoint as an output', () => {
    expect(Object.keys(template.findOutputs('*'))).toEqual(
      expect.arrayContaining(['Endpoint', 'TableName', 'BucketName']),
    );
  });

  it('may keep the API inside a VPC', () => {
    const inside = synthesise({ endpoint_type: 'PRIVATE', vpc_endpoint_ids: 'vpce-1' });
    inside.hasResourceProperties('AWS::ApiGateway::RestApi', {
      EndpointConfiguration: { Types: ['PRIVATE'] },
      Policy: Match.objectLike({
        Statement: [
          Match.objectLike({ Effect: 'Allow', Condition: { StringEquals: { 'aws:SourceVpce': ['vpce-1'] } } }),
          // Inside a VPC there is no public address to look at.
          Match.objectLike({
            Effect: 'Deny',
            Condition: { NotIpAddress: { 'aws:VpcSourceIp': Match.arrayWith(['10.0.0.0/8']) } },
          }),
        ],
      }),
    });
  });

  it('say from where deploy agents may call, and a network that is none stops the synth', () => {
    const named = synthesise({ agent_networks: '203.0.113.0/29, 2001:db8::/56' });
    named.hasResourceProperties('AWS::ApiGateway::RestApi', {
      Policy: Match.objectLike({
        Statement: Match.arrayWith([
          Match.objectLike({ Condition: { NotIpAddress: { 'aws:SourceIp': ['203.0.113.0/29', '2001:db8::/56'] } } }),
        ]),
      }),
    });
    expect(() => synthesise({ agent_networks: 'the site' })).toThrow('agent_networks: "the site" is no network');
  });

  it('may have a web ACL before the APIs, which refuses who asks too often', () => {
    expect(ofType('AWS::WAFv2::WebACL')).toEqual([]);
    const guarded = synthesise({ web_acl_rate: '2000' });
    guarded.hasResourceProperties('AWS::WAFv2::WebACL', {
      Scope: 'REGIONAL',
      DefaultAction: { Allow: {} },
      Rules: [
        Match.objectLike({
          Action: { Block: { CustomResponse: { ResponseCode: 429 } } },
          Statement: { RateBasedStatement: { Limit: 2000, AggregateKeyType: 'IP', EvaluationWindowSec: 300 } },
        }),
      ],
    });
    const stages = Object.keys(guarded.findResources('AWS::ApiGateway::Stage'));
    const guardedStages = Object.values(guarded.findResources('AWS::WAFv2::WebACLAssociation')).map(({ Properties }) =>
      JSON.stringify(Properties),
    );
    expect(guardedStages).toHaveLength(stages.length);
    for (const stage of stages) expect(guardedStages.some((one) => one.includes(`"${stage}"`))).toBe(true);
    for (const wrong of ['9', '-10', 'many', ''])
      expect(() => synthesise({ web_acl_rate: wrong })).toThrow('web_acl_rate');
  });

  it('are stopped by a context value that cannot be', () => {
    expect(() => synthesise({ endpoint_type: 'EDGE' })).toThrow('endpoint_type');
    expect(() => synthesise({ vpc_id: 'vpc-1' })).toThrow('subnet_ids');
    expect(() => synthesise({ endpoint_type: 'PRIVATE' })).toThrow('PRIVATE needs vpc_endpoint_ids');
  });
});
