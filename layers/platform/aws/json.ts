/** Services of AWS that speak JSON: an operation is named in a header, its input is the body. */
import { createSender, type Site } from './signed.ts';

/** What the header calls each service, and its version of the protocol. */
const dialects = {
  states: { target: 'AWSStepFunctions', version: '1.0' },
  kms: { target: 'TrentService', version: '1.1' },
} as const;

export type AwsJson = {
  /** Throws what `Sender.send` throws; a Refusal has the name of the service's error. */
  call(operation: string, input: object): Promise<object>;
  destroy(): void;
};

/** A client of one service. Binary values are base64, times are seconds. */
export const createAwsJson = (name: keyof typeof dialects, site: Site = {}): AwsJson => {
  const sender = createSender({ name, ...site });
  const { target, version } = dialects[name];
  return {
    call: async (operation, input) => {
      const headers = { 'content-type': `application/x-amz-json-${version}`, 'x-amz-target': `${target}.${operation}` };
      const { body } = await sender.send({ method: 'POST', path: '/', headers, body: JSON.stringify(input) });
      return body.length === 0 ? {} : (JSON.parse(body.toString()) as object);
    },
    destroy: () => sender.destroy(),
  };
};
