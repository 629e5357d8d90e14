import { expect, it } from 'vitest';

import { functions } from '../../../../infra/manifest.ts';
import { settingsOf } from '../../../../layers/platform/aws/client.ts';
import { silence } from '../../../../layers/platform/aws/ssm.ts';

it.each([
  ['the API', {}, functions['baremetal-api'].timeout],
  ['the authorizer', { silence }, functions.authorizer.timeout],
])('a service that cannot be reached or says nothing does not take up all the time of %s', (_name, site, timeout) => {
  const { maxAttempts, requestHandler } = settingsOf(site);
  const { connectionTimeout, socketTimeout } = requestHandler;
  // Between tries the SDK waits for 0.1 s and 0.2 s at most, and counts silence late from 6 s on.
  expect(maxAttempts * (connectionTimeout + socketTimeout) + 300).toBeLessThan(timeout * 1000);
  expect(socketTimeout).toBeLessThan(6000);
});
