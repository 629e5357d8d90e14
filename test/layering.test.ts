/** Imports go one way (DESIGN.md 2). Read from the import lines themselves; type imports count too, unless said. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

import { workflows } from '../workflows/index.ts';

const root = new URL('..', import.meta.url).pathname;
const sources = globSync('{layers,workflows,functions,infra,local,simulator,bench,cli,migrate}/**/*.ts', { cwd: root });

/** Comments may talk of anything. A `//` inside a string begins no comment here: it follows a colon (URLs). */
const withoutComments = (source: string) => source.replace(/\/\*[^]*?\*\/|(?<!:)\/\/.*/g, '');

type Import = { file: string; target: string; typeOnly: boolean };

const importsOf = (file: string): Import[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/^(import|export) (type )?[^;]*? from '([^']+)'/gm)].map(
    ([, , type, target]) => ({
      file,
      typeOnly: type !== undefined,
      target: target!.startsWith('.') ? normalize(join(dirname(file), target!)) : target!,
    }),
  );

const all = sources.flatMap(importsOf);
const within = (folder: string) => (path: string) => path.startsWith(`${folder}/`);
const isHandler = (file: string) => /^functions\/[^/]+\/handler\.ts$/.test(file);
/** Imports out of `from` that are not in `allowed` (folders of ours or package names). */
const strangers = (from: string, allowed: string[], except: (line: Import) => boolean = () => false) =>
  all
    .filter(({ file }) => within(from)(file))
    .filter(({ target }) => !allowed.some((name) => target === name || within(name)(target)))
    .filter((line) => !except(line))
    .map(({ file, target }) => `${file} -> ${target}`);

describe('imports', () => {
  it('are found at all', () => {
    expect(all.length).toBeGreaterThan(300);
  });

  it('of layers/domain are zod and itself', () => {
    expect(strangers('layers/domain', ['layers/domain', 'zod'])).toEqual([]);
  });

  it('of layers never go up', () => {
    const up = all.filter(
      ({ file, target }) =>
        within('layers')(file) && /^(workflows|functions|infra|local|simulator|test)\//.test(target),
    );
    expect(up).toEqual([]);
  });

  it('of layers/redfish-client are Node, faults, the shape of the wire and itself', () => {
    const node = ({ target, typeOnly }: Import) =>
      target.startsWith('node:') || (typeOnly && target === 'layers/platform/wire.ts');
    expect(
      strangers('layers/redfish-client', ['layers/redfish-client', 'layers/domain', 'layers/bmc', 'zod'], node),
    ).toEqual([]);
  });

  it('of layers/baremetal-client are the domain and itself, and shapes: it knows no more than an API tells', () => {
    const shape = ({ typeOnly, target }: Import) => typeOnly && /^layers\/(platform|guest|schedule)\//.test(target);
    expect(strangers('layers/baremetal-client', ['layers/baremetal-client', 'layers/domain', 'zod'], shape)).toEqual(
      [],
    );
  });

  it('of the BMC proxy never reach the store, but for types and in its composition root', () => {
    const store = all.filter(
      ({ file, target, typeOnly }) =>
        within('functions/bmc-proxy')(file) &&
        (within('layers/store')(target) || within('layers/platform')(target)) &&
        !typeOnly &&
        !isHandler(file),
    );
    expect(store).toEqual([]);
  });

  it('of workflows are layers only', () => {
    expect(strangers('workflows', ['workflows', 'layers', 'zod'], ({ target }) => target.startsWith('node:'))).toEqual(
      [],
    );
  });

  it('of what all runs share, and of owners of runs, never are a workflow', () => {
    expect(
      strangers('workflows/run', ['workflows/run', 'layers', 'zod'], ({ target }) => target.startsWith('node:')),
    ).toEqual([]);
    for (const owner of globSync('workflows/owners/*', { cwd: root })) {
      expect(strangers(owner, [owner, 'workflows/run', 'layers', 'zod'])).toEqual([]);
    }
  });

  it('of one workflow never are another workflow', () => {
    for (const name of Object.keys(workflows)) {
      expect(
        strangers(`workflows/${name}`, [`workflows/${name}`, 'workflows/owners', 'workflows/run', 'layers', 'zod']),
      ).toEqual([]);
    }
  });

  it('of one function never are another function', () => {
    const crossing = all.filter(({ file, target }) => {
      const [own] = /^functions\/[^/]+\//.exec(file) ?? [];
      return own !== undefined && within('functions')(target) && !target.startsWith(own);
    });
    expect(crossing).toEqual([]);
  });

  it('of AWS clients are in the AWS adapters only', () => {
    const clients = all.filter(
      ({ file, target }) => target.startsWith('@aws-sdk/') && !within('layers/platform/aws')(file),
    );
    expect(clients).toEqual([]);
  });

  it('of migrate are Node, the domain, itself and the drivers of databases, which only commands and benchmarks import', () => {
    const node = ({ target }: Import) => target.startsWith('node:');
    const drivers = ['mysql2', 'mysql2/promise', 'pg'];
    expect(strangers('migrate', ['migrate', 'layers/domain', 'zod', ...drivers], node)).toEqual([]);
    const others = all.filter(
      ({ file, target }) =>
        (drivers.includes(target) || within('migrate')(target)) && !/^(migrate|cli|bench)\//.test(file),
    );
    expect(others).toEqual([]);
  });

  it('never lead into infra, local or simulator from a deployed function', () => {
    const inward = all.filter(
      ({ file, target }) => /^(layers|workflows|functions)\//.test(file) && /^(infra|local|simulator)\//.test(target),
    );
    expect(inward).toEqual([]);
  });
});

describe('what serves every API', () => {
  it('has no word of one in it: the engine, the gateways of AWS and of one machine', () => {
    const words = /ironic|bare-?metal|configdrive|ramdisk|microversion|faultstring/i;
    const neutral = /^(layers\/http\/[^/]+|local\/gateway\/[^/]+|infra\/(api|body-limit|challenge|refusals))\.ts$/;
    const files = sources.filter((file) => neutral.test(file));
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => words.test(withoutComments(readFileSync(join(root, file), 'utf8'))))).toEqual([]);
  });
});

it('chance comes in through the platform', () => {
  const drawing = sources
    .filter((file) => /^(layers|workflows|functions|simulator)\//.test(file))
    .filter((file) => readFileSync(join(root, file), 'utf8').includes('Math.random'));
  expect(drawing).toEqual(['layers/platform/chance.ts']);
});

describe('the environment', () => {
  it('is read in composition roots and entry points only', () => {
    const readers = sources.filter((file) =>
      withoutComments(readFileSync(join(root, file), 'utf8')).includes('process.env'),
    );
    expect(readers).not.toEqual([]);
    // local/simulator-process.ts hands the environment on to the process that it starts.
    const allowed =
      /^(functions\/[^/]+\/handler\.ts|infra\/|bench\/|local\/(main|options|simulator-process)\.ts|cli\/main\.ts|simulator\/(main|options)\.ts|local\/functions\/worker\.ts)/;
    expect(readers.filter((file) => !allowed.test(file))).toEqual([]);
  });
});
