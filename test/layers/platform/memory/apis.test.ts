import { createMemoryApis } from '../../../../layers/platform/memory/apis.ts';
import { describeApis } from '../../../conformance/apis.ts';

describeApis('APIs in memory', async (baremetal) => ({
  apis: createMemoryApis({ baremetal }),
  end: async () => undefined,
}));
