/**
 * Where the proxy stands: subnets that reach the hardware network and nothing else. No NAT and no internet gateway;
 * DynamoDB and KMS come through endpoints.
 */
import {
  GatewayVpcEndpointAwsService,
  InterfaceVpcEndpointAwsService,
  type ISecurityGroup,
  type ISubnet,
  type IVpc,
  Peer,
  Port,
  SecurityGroup,
  Subnet,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { AnyPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';

import type { Context } from './context.ts';
import type { Data } from './data.ts';

export class HardwareNetwork extends Construct {
  readonly vpc: IVpc;
  readonly subnets: ISubnet[];
  readonly securityGroup: ISecurityGroup;

  /** `data`: what the proxy may reach by the endpoints. */
  constructor(scope: Construct, id: string, context: Context, data: Data) {
    super(scope, id);
    this.vpc = context.vpc_id ? this.importVpc(context.vpc_id, context) : this.createVpc();
    this.subnets = context.vpc_id
      ? context.subnet_ids.map((subnet) => Subnet.fromSubnetId(this, subnet, subnet))
      : this.vpc.isolatedSubnets;
    this.securityGroup = this.createSecurityGroup(context);
    if (!context.vpc_id) this.addEndpoints(data);
  }

  private importVpc(vpcId: string, { availability_zones: availabilityZones, subnet_ids: subnets }: Context): IVpc {
    return Vpc.fromVpcAttributes(this, 'Vpc', { vpcId, availabilityZones, isolatedSubnetIds: subnets });
  }

  private createVpc(): IVpc {
    const vpc = new Vpc(this, 'Vpc', {
      maxAzs: 2,
      natGateways: 0,
      subnetConfiguration: [{ name: 'hardware', subnetType: SubnetType.PRIVATE_ISOLATED, cidrMask: 24 }],
    });
    vpc.addFlowLog('FlowLog');
    // The cast: CDK's own classes do not satisfy its interfaces under exactOptionalPropertyTypes.
    return vpc as IVpc;
  }

  /** Through them the proxy reaches its table and its key, and with stolen credentials of somebody else nothing either. */
  private addEndpoints({ tables, keys }: Data): void {
    const own = (actions: string[], resources: string[]) =>
      new PolicyStatement({ principals: [new AnyPrincipal()], actions, resources });
    const table = this.vpc.addGatewayEndpoint('DynamoDb', { service: GatewayVpcEndpointAwsService.DYNAMODB });
    table.addToPolicy(own(['dynamodb:*'], [tables.machines.tableArn]));
    const group = new SecurityGroup(this, 'KmsEndpoint', {
      vpc: this.vpc,
      allowAllOutbound: false,
      description: 'KMS endpoint: in from the BMC proxy, nothing out',
    });
    const kms = this.vpc.addInterfaceEndpoint('Kms', {
      service: InterfaceVpcEndpointAwsService.KMS,
      open: false,
      securityGroups: [group],
    });
    kms.addToPolicy(own(['kms:Encrypt', 'kms:Decrypt'], [keys.secrets.keyArn]));
    kms.connections.allowFrom(this.securityGroup, Port.tcp(443), 'The proxy opens credentials');
  }

  private createSecurityGroup(context: Context): ISecurityGroup {
    const { bmc_networks: networks, bmc_ports: ports, dynamodb_prefix_list: list, vpc_id: vpcId } = context;
    const group = new SecurityGroup(this, 'Proxy', {
      vpc: this.vpc,
      allowAllOutbound: false,
      description: 'BMC proxy: out to BMCs, agents and the DynamoDB and KMS endpoints, nothing in',
    });
    for (const network of networks) {
      const peer = network.includes(':') ? Peer.ipv6(network) : Peer.ipv4(network);
      for (const port of ports) group.addEgressRule(peer, Port.tcp(Number(port)), 'BMCs and agents');
    }
    // The addresses of the DynamoDB gateway endpoint are public ones, which one list of AWS has. Who does not name it has
    // the routes of the subnets as the only fence: those of ours lead nowhere else. How a VPC of others reaches KMS is theirs.
    if (list === undefined || vpcId !== undefined) {
      group.addEgressRule(Peer.anyIpv4(), Port.tcp(443), 'DynamoDB and KMS');
    } else group.addEgressRule(Peer.prefixList(list), Port.tcp(443), 'DynamoDB');
    return group;
  }
}
