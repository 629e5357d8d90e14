/** How a function becomes what Lambda loads, for CDK (`lambda.ts`) and for `bench/bundles.ts`. */
import { buildSync } from 'esbuild';
import { rmSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Loaded by the SDK when it looks for credentials anywhere but in the environment, which is where Lambda has them, and
 * in browsers: never reached, and 140 KB less in every bundle.
 */
const unreached = [
  '@aws-sdk/credential-provider-http',
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-login',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
  '@aws-sdk/credential-provider-web-identity',
  '@smithy/credential-provider-imds',
  'bowser',
];

// Some CommonJS packages of the AWS SDK still call require.
const js = "import{createRequire as ingotRequire}from'node:module';const require=ingotRequire(import.meta.url);";

type Import = { readonly path: string; readonly kind: string };
type Outputs = Readonly<Record<string, { readonly imports: readonly Import[] }>>;

const everything = () => true;
const notLater = ({ kind }: Import) => kind !== 'dynamic-import';

/** The files that `file` loads by such imports, itself among them. */
const reachable = (
  outputs: Outputs,
  file: string,
  follow: (line: Import) => boolean,
  found = new Set<string>(),
): Set<string> => {
  if (!outputs[file] || found.has(file)) return found;
  found.add(file);
  for (const line of outputs[file].imports.filter(follow)) reachable(outputs, line.path, follow, found);
  return found;
};

/** `at_start`: whether it is loaded with the function; else by `import()`, when a request needs it. Size in bytes. */
export type Script = { readonly file: string; readonly bytes: number; readonly at_start: boolean };

/**
 * Writes the function's `index.mjs` and the files it loads, at once or later, into `folder`; each has its source map
 * beside it, for whoever reads a stack trace: with --enable-source-maps Lambda would read them at each cold start, 20 ms.
 */
export const bundle = (name: string, folder: string): Script[] => {
  const { metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: [{ in: `functions/${name}/handler.ts`, out: 'index' }],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // Clients of AWS that a request may never need are files of their own (layers/platform/aws/platform.ts).
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    minify: true,
    sourcemap: true,
    mainFields: ['module', 'main'],
    external: unreached,
    banner: { js },
    logLevel: 'error',
    metafile: true,
  });
  const { outputs } = metafile;
  const entry = relative(root, join(folder, 'index.mjs'));
  const all = reachable(outputs, entry, everything);
  const start = reachable(outputs, entry, notLater);
  // esbuild writes what an unused export would have loaded as well.
  const scripts = Object.keys(outputs).filter((file) => file.endsWith('.mjs'));
  for (const file of scripts.filter((path) => !all.has(path)))
    for (const path of [file, `${file}.map`]) rmSync(join(root, path));
  return [...all].map((file) => ({
    file: basename(file),
    bytes: outputs[file]!.bytes,
    at_start: start.has(file),
  }));
};
