/** The findings of cdk-nag that stand, each with the reason why. Any other finding stops synth. */
import { type Stack, Validations } from 'aws-cdk-lib';

type Finding = { readonly id: string; readonly reason: string };

const findings: readonly Finding[] = [
  {
    id: 'AwsSolutions-IAM4',
    reason: 'The managed policies of Lambda (logs, network interfaces) and API Gateway (logs) grant just that.',
  },
  {
    id: 'AwsSolutions-IAM5',
    reason:
      'Stars stand at the end of names of our own: indexes of our table, objects under our prefix, executions of our state machines, versions of our function. X-Ray and the vended log delivery of Step Functions know no resources.',
  },
  {
    id: 'AwsSolutions-APIG2',
    reason:
      'Requests are validated by the field tables in functions/baremetal-api, with the errors Ironic clients expect.',
  },
  {
    id: 'AwsSolutions-APIG3',
    reason: 'A web ACL is the operator’s choice; a PRIVATE endpoint (context endpoint_type) has no need of one.',
  },
  {
    id: 'AwsSolutions-APIG4',
    reason:
      'The version documents are public in Ironic; lookup and heartbeat are for deploy agents, which have the node’s token.',
  },
  {
    id: 'AwsSolutions-COG4',
    reason: 'functions/authorizer knows Ironic’s ways to authenticate; Cognito is none of them.',
  },
  {
    id: 'AwsSolutions-S1',
    reason: 'Objects are reached through presigned URLs that a workflow made, which its execution history records.',
  },
];

/** Acknowledges the findings for the whole stack. */
export const acknowledgeFindings = (stack: Stack): void => {
  for (const { id, reason } of findings) Validations.of(stack).acknowledge({ id: `AwsSolutions::${id}`, reason });
};
