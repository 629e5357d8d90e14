import { describeSecrets } from '../conformance/secrets.ts';
import { createFakeSecrets } from './secrets.ts';

describeSecrets('secrets in memory', async () => createFakeSecrets());
