/** Deploy templates (ironic-api.md 9, since 1.55). */
import { deployTemplate } from '../../layers/domain/deploy-template.ts';
import { maskSecrets } from '../../layers/domain/masking.ts';
import { projector, resourceLinks, type Want } from '../../layers/domain/projection.ts';
import { type StoredDeployTemplate, kinds } from '../../layers/store/kinds/kinds.ts';
import { identFinder, recordRoutes } from './crud.ts';
import type { Call, Route } from './route.ts';

const view = ({ base, version }: Call, want: Want) =>
  projector<StoredDeployTemplate>(deployTemplate, version, want, {
    links: ({ uuid }) => resourceLinks(base, 'deploy_templates', uuid),
    steps: ({ steps }) => maskSecrets(steps),
  });

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
  view,
  find: identFinder(kinds.deploy_template),
});
