/** Deploy templates (ironic-api.md 9, since 1.55). */
import { identFinder, recordRoutes } from './crud.ts';
import type { Route } from './route.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';

export const deployTemplateRoutes: readonly Route[] = recordRoutes({
  collection: 'deploy_templates',
  ident: 'ident',
  since: 55,
  tooOld: 405,
  kind: kinds.deploy_template,
  policy: {
    list: 'baremetal:deploy_template:get',
    get: 'baremetal:deploy_template:get',
    create: 'baremetal:deploy_template:create',
    update: 'baremetal:deploy_template:update',
    delete: 'baremetal:deploy_template:delete',
  },
  find: identFinder(kinds.deploy_template),
});
