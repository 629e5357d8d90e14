/**
 * The APIs for tenants, beside the Bare Metal API: where each is below the address that they all have. The manifest puts
 * them there, and the links of each carry it.
 */
export const prefixes = { compute: '/compute', image: '/image', network: '/network' } as const;

/** Start of the links of an API below `prefix`, by the setting public_endpoint; empty: what the client called. */
export const endpointOf = (publicEndpoint: string, prefix: string): string =>
  publicEndpoint === '' ? '' : publicEndpoint.replace(/\/$/, '') + prefix;
