/** A web ACL before the APIs, if there is to be one: who asks too often is refused before anything of ours is asked. */
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';

import type { Api } from './api.ts';

export type WebAclOptions = {
  readonly name: string;
  /** Requests of one address in five minutes. */
  readonly rate: number;
  readonly apis: Readonly<Record<string, Api>>;
};

const visible = (metricName: string) => ({
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
  metricName,
});

export class WebAcl extends Construct {
  constructor(scope: Construct, id: string, { name, rate, apis }: WebAclOptions) {
    super(scope, id);
    const acl = new CfnWebACL(this, 'Acl', {
      name,
      scope: 'REGIONAL',
      description: 'Ingot: how often one address may ask',
      defaultAction: { allow: {} },
      visibilityConfig: visible(name),
      rules: [
        {
          name: 'rate',
          priority: 0,
          action: { block: { customResponse: { responseCode: 429 } } },
          statement: { rateBasedStatement: { limit: rate, evaluationWindowSec: 300, aggregateKeyType: 'IP' } },
          visibilityConfig: visible(`${name}-rate`),
        },
      ],
    });
    for (const [api, { rest }] of Object.entries(apis)) {
      void new CfnWebACLAssociation(this, api, {
        resourceArn: rest.deploymentStage.stageArn,
        webAclArn: acl.attrArn,
      });
    }
  }
}
