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
import { Construct } from 'constructs';

import type { Context } from './context.ts';

export class HardwareNetwork extends Construct {
  readonly vpc: IVpc;
  readonly subnets: ISubnet[];
  readonly securityGroup: ISecurityGroup;

  constructor(scope: Construct, id: string, context: Context) {
    super(scope, id);
    this.vpc = context.vpc_id ? this.importVpc(context.vpc_id, context) : this.createVpc();
    this.subnets = context.vpc_id
      ? context.subnet_ids.map((subnet) => Subnet.fromSubnetId(this, subnet, subnet))
      : this.vpc.isolatedSubnets;
    this.securityGroup = this.createSecurityGroup(context);
    if (!context.vpc_id) this.addEndpoints();
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

  private addEndpoints(): void {
    this.vpc.addGatewayEndpoint('DynamoDb', { service: GatewayVpcEndpointAwsService.DYNAMODB });
    const kms = this.vpc.addInterfaceEndpoint('Kms', { service: InterfaceVpcEndpointAwsService.KMS, open: false });
    kms.connections.allowFrom(this.securityGroup, Port.tcp(443), 'The proxy opens credentials');
  }

  private createSecurityGroup({ bmc_networks: networks, bmc_ports: ports }: Context): ISecurityGroup {
    const group = new SecurityGroup(this, 'Proxy', {
      vpc: this.vpc,
      allowAllOutbound: false,
      description: 'BMC proxy: out to BMCs, agents and the DynamoDB and KMS endpoints, nothing in',
    });
    for (const network of networks) {
      for (const port of ports) group.addEgressRule(Peer.ipv4(network), Port.tcp(Number(port)), 'BMCs and agents');
    }
    // The addresses of the DynamoDB gateway endpoint are public ones. Without a route to the internet nothing else
    // answers on them; the subnets' routes, not this rule, are the fence.
    group.addEgressRule(Peer.anyIpv4(), Port.tcp(443), 'DynamoDB and KMS endpoints');
    return group;
  }
}
