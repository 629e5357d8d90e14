/** Inspection rules (ironic-api.md 9, since 1.96). What they do is in layers/domain/inspection-rules. */
import { Invalid } from '../../layers/domain/fault.ts';
import { inspectionRule, phases } from '../../layers/domain/inspection-rule.ts';
import { maskSecrets } from '../../layers/domain/masking.ts';
import { projector, resourceLinks, type Want } from '../../layers/domain/projection.ts';
import { type StoredInspectionRule, kinds } from '../../layers/store/kinds/kinds.ts';
import { recordRoutes, uuidFinder, type Values } from './crud.ts';
import type { Call, Route } from './route.ts';

/** What a sensitive rule keeps to itself. */
const parts = ['conditions', 'actions'];

const view = ({ base, version }: Call, want: Want) => {
  const show = projector<StoredInspectionRule>(inspectionRule, version, want, {
    links: ({ uuid }) => resourceLinks(base, 'inspection_rules', uuid),
    conditions: ({ conditions }) => maskSecrets(conditions),
    actions: ({ actions }) => maskSecrets(actions),
  });
  return (rule: StoredInspectionRule) =>
    Object.fromEntries(
      Object.entries(show(rule)).map(([name, value]) => [name, rule.sensitive && parts.includes(name) ? null : value]),
    );
};

/** Throws Invalid (400) for a phase that there is not. */
const keep = ({ query }: Call) => {
  const phase = query['phase']?.[0];
  if (phase !== undefined && !(phases as readonly string[]).includes(phase)) {
    throw Invalid(`Invalid value for phase: "${phase}" is none of ${phases.join(', ')}.`);
  }
  return (rule: StoredInspectionRule) => phase === undefined || rule.phase === phase;
};

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
  view,
  filters: { phase: {} },
  keep,
  find: uuidFinder(kinds.inspection_rule),
  complete,
});
