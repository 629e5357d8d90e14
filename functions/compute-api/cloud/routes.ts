/** What a cloud is made of, most of it for administrators (compute-api.md 5 to 7). */
import type { Route } from '../route.ts';
import { absentRoutes } from './absent.ts';
import { baremetalNodeRoutes } from './baremetal-node.ts';
import { hypervisorRoutes } from './hypervisor.ts';
import { serviceRoutes } from './service.ts';
import { zoneRoutes } from './zone.ts';

export const cloudRoutes: readonly Route[] = [
  ...zoneRoutes,
  ...hypervisorRoutes,
  ...serviceRoutes,
  ...baremetalNodeRoutes,
  ...absentRoutes,
];
