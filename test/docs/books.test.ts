/** What books and code both have as a table is the same in both. */
import { expect, it } from 'vitest';

import { bmcFaults } from '../../layers/bmc/faults.ts';
import { operations } from '../../layers/bmc/operations.ts';
import { states } from '../../layers/domain/baremetal/states.ts';
import { provisionStates, transitions } from '../../layers/domain/baremetal/transitions.ts';
import { verbs } from '../../layers/domain/baremetal/verbs.ts';
import { node } from '../../layers/domain/node.ts';
import { read } from './references.ts';

/** The cells of the tables of a section, without headings. */
const rowsOf = (book: string, section: string): string[][] => {
  const lines = read(`docs/reference/${book}.md`).split('\n');
  const from = lines.findIndex((line) => new RegExp(String.raw`^#+ ${section}[. ]`).test(line));
  const to = lines.findIndex((line, at) => at > from && line.startsWith('#'));
  return lines
    .slice(from, to < 0 ? undefined : to)
    .filter((line, at, all) => line.startsWith('|') && !/^\|[ -]*-[-| ]*\|$/.test(`${line}${all[at + 1] ?? ''}`))
    .filter((line) => !/^\|[\s|-]+$/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
};

const parts = (cell: string): string[] => cell.split('/').map((part) => part.trim().replaceAll('*', ''));

it('ironic-states.md has the states and transitions of the code', () => {
  expect(rowsOf('ironic-states', '1').map(([state]) => state)).toEqual(expect.arrayContaining(provisionStates));
  const told = rowsOf('ironic-states', '2').flatMap(([from, events, to]) =>
    parts(events!).map((event, at) => `${from}: ${event} > ${parts(to!)[at]}`),
  );
  const made = Object.entries(transitions).flatMap(([from, row]) =>
    Object.entries(row).map(([event, to]) => `${from}: ${event} > ${to}`),
  );
  expect(told.filter((row) => !row.startsWith('From:')).toSorted()).toEqual(made.toSorted());
});

it('ironic-states.md says of each state what its row says', () => {
  const kinds = { resting: 'S', working: 'U', waiting: 'U', held: 'hold', failed: 'fail' };
  const beats = {
    recorded: 'recorded only',
    awaited: 'acts',
    'awaited once inspected': 'recorded; goes on once the inventory has come',
  };
  const made = provisionStates.map((state) => {
    const { is, editable, lookup, heartbeat } = states[state];
    const patch = state === 'inspecting' ? '<1.39 yes, else 409' : is === 'resting' || editable ? 'yes' : 'no 409';
    // Ironic counts it among the stable ones, but it is the failure of an undeploy.
    const kind = state === 'error' ? 'S' : kinds[is];
    return [state, kind, patch, lookup ? 'yes' : 'no', heartbeat ? beats[heartbeat] : 'no'].join(' | ');
  });
  const told = rowsOf('ironic-states', '1').map(([state, kind, , patch, lookup, heartbeat]) =>
    [state, kind, patch, lookup, heartbeat].join(' | '),
  );
  expect(told.filter((row) => !row.startsWith('State')).toSorted()).toEqual(made.toSorted());
});

it('ironic-states.md says of each verb since when it is there, and what maintenance and protection refuse', () => {
  const made = Object.entries(verbs).map(([verb, { since = 1, sinceFrom = {}, awake, unprotected }]) => {
    const versions = [since, ...Object.values(sinceFrom)].map((version) => `1.${version}`).join('/');
    return [verb, versions, awake ? '400' : 'no', unprotected ? '403' : ''].join(' | ');
  });
  const told = rowsOf('ironic-states', '3').map(([verb, since, maintenance, , extra]) =>
    [verb, since, maintenance === '400' ? '400' : 'no', extra!.includes('403 protected') ? '403' : ''].join(' | '),
  );
  // The newer names of `active` and `deleted` have no rows of their own there.
  const others = made.filter((row) => !/^(?:un)?deploy /.test(row));
  expect(told.filter((row) => !row.startsWith('Verb')).toSorted()).toEqual(others.toSorted());
});

it('redfish.md names operations and errors of the proxy that there are', () => {
  const rows = rowsOf('redfish', '6');
  const named = rows.flatMap(([first]) => first!.match(/\b[a-z_]+\.[a-z]+\b/g) ?? []);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !Object.hasOwn(operations, name))).toEqual([]);
  const faults = rows.flatMap(
    ([first]) => first!.match(/\b(?:Bmc|Agent)[A-Z]\w+|InvalidCommand|Target\w+|Stale\w+/g) ?? [],
  );
  expect(faults.toSorted()).toEqual(Object.keys(bmcFaults).toSorted());
});

it('ironic-api.md has the fields of a node, and since when', () => {
  const told = rowsOf('ironic-api', '2.2').flatMap(([names, since]) =>
    names!
      .replaceAll(/(\w+_)\//g, '$1interface, ')
      .split(',')
      .map((name) => `${name.trim()} ${since}`),
  );
  const made = Object.entries(node).map(([name, field]) => `${name} 1.${'since' in field ? field.since : 1}`);
  expect(told.filter((row) => /1\.\d+$/.test(row)).toSorted()).toEqual(
    made.filter((row) => !row.startsWith('links ')).toSorted(),
  );
});
