/** What of Ironic's endpoints is there, read from the route tables of the two APIs. */
import { routes } from '../functions/baremetal-api/routes.ts';
import { ramdisk } from '../layers/domain/baremetal/ramdisk.ts';
import { ironicEndpoints } from './ironic-endpoints.ts';
import { table } from './markdown.ts';

const ours = new Map<string, number>(
  [...routes, ...Object.values(ramdisk)].map(({ at, since = 1 }) => [at, since] as const),
);

/** Names of path parameters mean nothing to a client. */
const shape = (at: string): string => at.replaceAll(/\{[^}]*\}/g, '{}');
const implemented = new Map([...ours].map(([at, since]) => [shape(at), since]));
const paths = new Set([...implemented.keys()].map((at) => at.split(' ')[1]));

const status = (method: string, path: string, since: number): string => {
  const found = implemented.get(shape(`${method} ${path}`));
  if (found !== undefined) return found === since ? 'yes' : `yes, from 1.${found}`;
  return paths.has(shape(path)) ? 'no: 405' : 'no: 404';
};

/** Methods of one path that stand alike share a row. */
const rows = ironicEndpoints.flatMap(([methods, path, since]) => {
  const groups = new Map<string, string[]>();
  for (const method of methods.split(' ')) {
    const found = status(method, path, since);
    groups.set(found, [...(groups.get(found) ?? []), method]);
  }
  return [...groups].map(([found, names]) => [names.join(', '), `\`${path}\``, `1.${since}`, found]);
});

/** One line of numbers and the table: method, path, microversion of Ironic, whether it is here. */
export const endpoints = (): string => {
  const known = new Set(
    ironicEndpoints.flatMap(([methods, path]) => methods.split(' ').map((m) => shape(`${m} ${path}`))),
  );
  const additions = [...ours].filter(([at]) => !known.has(shape(at)));
  const there = [...known].filter((at) => implemented.has(at)).length;
  return [
    `${there} of Ironic's ${known.size} endpoints are there.`,
    table(
      ['method', 'path', 'Ironic has it since', 'here'],
      [
        ...rows,
        ...additions.map(([at, since]) => [at.split(' ')[0]!, `\`${at.split(' ')[1]}\``, '', `ours, from 1.${since}`]),
      ],
    ),
  ].join('\n\n');
};
