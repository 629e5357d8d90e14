/** Deploy templates (ironic-api.md 9, since 1.55). */
import { deployTemplate } from '../../layers/domain/deploy-template.ts';
import { deployTemplates } from '../../layers/store/deploy-templates.ts';
import { identFinder, recordRoutes } from './crud.ts';
import type { Route } from './route.ts';

export const deployTemplateRoutes: readonly Route[] = recordRoutes({
  collection: 'deploy_templates',
  ident: 'ident',
  since: 55,
  tooOld: 405,
  rows: deployTemplate,
  store: deployTemplates,
  policy: {
    list: 'baremetal:deploy_template:get',
    get: 'baremetal:deploy_template:get',
    create: 'baremetal:deploy_template:create',
    update: 'baremetal:deploy_template:update',
    delete: 'baremetal:deploy_template:delete',
  },
  find: identFinder(deployTemplates),
});
