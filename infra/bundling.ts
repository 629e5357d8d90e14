/** How esbuild bundles a function, for CDK (`lambda.ts`) and for `bench/bundles.ts`. */
export const bundling = {
  target: 'node24',
  minify: true,
  sourceMap: true,
  mainFields: ['module', 'main'],
  // The SDK loads these when it looks for credentials anywhere but in the environment, which is where Lambda has them:
  // never reached, and 100 KB less in every bundle.
  external: [
    '@aws-sdk/credential-provider-ini',
    '@aws-sdk/credential-provider-login',
    '@aws-sdk/credential-provider-process',
    '@aws-sdk/credential-provider-sso',
    '@aws-sdk/credential-provider-web-identity',
    '@smithy/credential-provider-imds',
  ],
  // Some CommonJS packages of the AWS SDK still call require.
  banner: "import{createRequire as ingotRequire}from'node:module';const require=ingotRequire(import.meta.url);",
};
