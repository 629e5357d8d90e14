import { describeSecrets } from '../../../conformance/secrets.ts';
import { createMemorySecrets } from '../../../../layers/platform/memory/secrets.ts';

describeSecrets('secrets in memory', async () => createMemorySecrets());
