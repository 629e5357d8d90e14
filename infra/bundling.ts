/** How esbuild bundles a function, for CDK (`lambda.ts`) and for `bench/bundles.ts`. */
export const bundling = {
  target: 'node24',
  minify: true,
  sourceMap: true,
  mainFields: ['module', 'main'],
  // Some CommonJS packages of the AWS SDK still call require.
  banner: "import{createRequire as ingotRequire}from'node:module';const require=ingotRequire(import.meta.url);",
};
