/** What the packages of package-lock.json have to be like, a row each. Everything is read from files: no network. */
import { compromised, permissive } from './lists.ts';

/** An entry of `packages` in a lock of version 3; what is not asked for here is left out. */
export type Locked = {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  /** It comes inside the archive of the package above it. */
  readonly inBundle?: boolean;
  readonly link?: boolean;
};

type Wanted = 'dependencies' | 'devDependencies' | 'optionalDependencies';

/** package.json, as far as it counts. `allowScripts`: packages with a script at installation, and whether it may run. */
export type Manifest = { readonly [kind in Wanted]?: Readonly<Record<string, string>> } & {
  readonly allowScripts?: Readonly<Record<string, boolean>>;
};

type Package = Locked & { readonly name: string };

/** The name in a path of the lock: `node_modules/a/node_modules/@b/c` is @b/c. */
const nameOf = (path: string): string => path.split('node_modules/').at(-1)!;

/** The one registry; npm leaves it out of the lock when it is the one that is set up. */
const registry = 'https://registry.npmjs.org/';

/** Whether an SPDX expression leaves a way that is permitted: one of alternatives, all of what holds together. */
const isPermitted = (expression: string): boolean => {
  const text = expression.replaceAll(/[()]/g, '');
  if (text.includes(' AND ')) return text.split(' AND ').every(isPermitted);
  return text.split(' OR ').some((one) => permissive.includes(one.trim()));
};

type Rule = {
  readonly breaks: (found: Package, manifest: Manifest) => boolean;
  readonly says: (found: Package) => string;
};

const rules: readonly Rule[] = [
  {
    breaks: ({ integrity, inBundle, link }) =>
      !inBundle && !link && !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''),
    says: () => 'has no SHA-512 in the lock, so that anything could be installed as it: run npm install anew.',
  },
  {
    breaks: ({ resolved }) => resolved !== undefined && !resolved.startsWith(registry),
    says: ({ resolved }) => `comes from ${resolved}, which is not ${registry}.`,
  },
  {
    breaks: ({ link }) => link === true,
    says: () => 'is a link to a folder: what is in it is in no lock.',
  },
  {
    breaks: ({ name, hasInstallScript }, { allowScripts = {} }) => hasInstallScript === true && !(name in allowScripts),
    says: () => 'runs a script when it is installed, and allowScripts of package.json does not say whether it may.',
  },
  {
    breaks: ({ license }) => license === undefined || !isPermitted(license),
    says: ({ license = 'none' }) => `has the licence ${license}, which is not in scripts/audit/lists.ts.`,
  },
  {
    breaks: ({ name, version = '' }) => compromised[name]?.includes(version) ?? false,
    says: () => 'was published by somebody who should not have been able to, or by mistake: take another version.',
  },
];

const exact = /^\d+\.\d+\.\d+$/;

const loose = (manifest: Manifest): string[] =>
  (['dependencies', 'devDependencies', 'optionalDependencies'] as const)
    .flatMap((kind) => Object.entries(manifest[kind] ?? {}))
    .filter(([, version]) => !exact.test(version))
    .map(([name, version]) => `package.json: ${name} is wanted as ${version}, not as one version.`);

/** What is wrong, a sentence each; nothing if all is well. */
export const audit = (manifest: Manifest, packages: Readonly<Record<string, Locked>>): string[] => [
  ...loose(manifest),
  ...Object.entries(packages)
    .filter(([path]) => path !== '')
    .flatMap(([path, locked]) => {
      const found = { ...locked, name: nameOf(path) };
      return rules
        .filter(({ breaks }) => breaks(found, manifest))
        .map(({ says }) => `${path} ${found.version ?? ''}: ${says(found)}`);
    }),
];
