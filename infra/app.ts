/** `npx cdk deploy`, or `CDK_OUTDIR=cdk.out node infra/app.ts` to synthesise without the CLI. */
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';

import { acknowledgeFindings } from './findings.ts';
import { IngotStack } from './stack.ts';

const app = new App();
const stack = new IngotStack(app, 'Ingot', {
  description: 'Ingot: bare-metal provisioning (OpenStack Bare Metal API)',
});
acknowledgeFindings(stack);
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
app.synth();
