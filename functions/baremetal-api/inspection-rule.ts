/** Inspection rules (ironic-api.md 9, since 1.96). What they do is in layers/domain/inspection-rules. */
import { Invalid } from '../../layers/domain/fault.ts';
import { recordRoutes, uuidFinder, type Values } from './crud.ts';
import type { Route } from './route.ts';
import { kinds, type StoredInspectionRule } from '../../layers/store/kinds/kinds.ts';

/** Who could unset it would see what it hides. Throws Invalid (400). */
const complete = (values: Values, _call: unknown, before?: StoredInspectionRule): Values => {
  if (before?.sensitive && values['sensitive'] === false) {
    throw Invalid('Inspection rules cannot have the sensitive flag unset; delete the rule and create it anew.');
  }
  return values;
};

export const inspectionRuleRoutes: readonly Route[] = recordRoutes({
  collection: 'inspection_rules',
  ident: 'uuid',
  since: 96,
  tooOld: 405,
  kind: kinds.inspection_rule,
  policy: {
    list: 'baremetal:inspection_rule:get',
    get: 'baremetal:inspection_rule:get',
    create: 'baremetal:inspection_rule:create',
    update: 'baremetal:inspection_rule:update',
    delete: 'baremetal:inspection_rule:delete',
  },
  find: uuidFinder(kinds.inspection_rule),
  complete,
});
