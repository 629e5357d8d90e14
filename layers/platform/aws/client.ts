/** What the clients of all services of AWS have in common. */

/** Where a service is, who asks, and how patient. */
export type Site = {
  /** Another server of the same API. */
  readonly endpoint?: string;
  /** Default: the region and the credentials that the SDK finds in the environment. */
  readonly region?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /**
   * How long the service may be silent, ms. Three tries of the default, with their connections and the pauses between
   * them, end before the API's function does. The SDK begins to count three seconds late when it is 6 s or more.
   */
  readonly silence?: number;
  /** How often a request is sent at most. More than once only what may be repeated. */
  readonly attempts?: number;
};

/** ms, and never longer than the service may be silent. */
const longestConnecting = 3_000;

/** As the SDK calls them in the names of its own variables. */
type Service = 'DYNAMODB' | 'S3' | 'SFN' | 'KMS' | 'LAMBDA' | 'EVENTBRIDGE' | 'SSM';

/**
 * Another server of the same API, which variables name: INGOT_<SERVICE>_ENDPOINT, else those that all clients of AWS
 * follow, AWS_ENDPOINT_URL_<SERVICE> and AWS_ENDPOINT_URL. The SDK reads the latter by itself, but would look for a bucket
 * at a host of that server.
 */
export const siteOf = (env: Readonly<Record<string, string | undefined>>, service: Service): Site => {
  const names = [`INGOT_${service}_ENDPOINT`, `AWS_ENDPOINT_URL_${service}`, 'AWS_ENDPOINT_URL'];
  const endpoint = names.map((name) => env[name]).find(Boolean);
  return endpoint ? { endpoint } : {};
};

/** Settings for the client of any service. The SDK itself would wait for minutes, where it has a limit at all. */
export const settingsOf = ({ silence = 5_000, attempts = 3, ...site }: Site) => ({
  ...site,
  maxAttempts: attempts,
  requestHandler: { connectionTimeout: Math.min(longestConnecting, silence), socketTimeout: silence },
});

/** What a service answered instead of success: the name of its error, and the status. */
export class Refusal extends Error {
  readonly status: number;

  constructor(name: string, status: number) {
    super(`The service answered ${status} ${name}.`);
    this.name = name;
    this.status = status;
  }
}

/** The SDK's errors of services, and no others, say whose fault it was. */
type ServiceError = Error & { readonly $fault: unknown; readonly $metadata: { readonly httpStatusCode?: number } };

const isServiceError = (error: unknown): error is ServiceError => error instanceof Error && '$fault' in error;

/**
 * What may be logged of an error that a client throws: of a service's own words nothing is kept, because they quote
 * keys and values. What else went wrong, such as the connection, is returned as it is.
 */
export const withoutWords = (error: unknown): unknown =>
  isServiceError(error) ? new Refusal(error.name, error.$metadata.httpStatusCode ?? 500) : error;
