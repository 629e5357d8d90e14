/** The statements of a dump that matter: which columns its tables have, and their rows. All others are passed over. */
import { Invalid } from '../../../layers/domain/fault.ts';
import { copyFields } from './escapes.ts';
import type { Token } from './tokens.ts';
import { type DumpValue, type Reading, value } from './values.ts';

/** Where what was found goes. Names are in lower case, without schema. */
export type Found = {
  /** Whether rows of this table are wanted. */
  wants(table: string): boolean;
  table(name: string, columns: readonly string[]): void;
  /** A row; `columns`: undefined if the statement names none, so that they are those of the table. */
  row(table: string, columns: readonly string[] | undefined, values: readonly DumpValue[]): void;
  /** Lines follow, up to the end mark. */
  lines(): void;
};

const isSign = (token: Token, sign: string): boolean => token.is === 'sign' && token.value === sign;
const isWord = (token: Token, word: string): boolean => token.is === 'word' && token.value.toLowerCase() === word;

/** Reads on to the end of the statement. */
const pass = function* (from: Token): Reading<void> {
  for (let token = from; !isSign(token, ';');) token = yield;
};

/** The last part of `schema.table`, and what follows. */
const name = function* (from: Token): Reading<[string, Token]> {
  for (let part = from; ;) {
    const next = yield;
    if (!isSign(next, '.')) return [part.value.toLowerCase(), next];
    part = yield;
  }
};

/** `(a, b, c)` after its first bracket. */
const names = function* (): Reading<string[]> {
  const found: string[] = [];
  for (;;) {
    found.push((yield).value.toLowerCase());
    if (isSign(yield, ')')) return found;
  }
};

/** What begins a part of CREATE TABLE that is no column, if it is not quoted. */
const noColumns = new Set(
  'primary unique key index constraint check foreign fulltext spatial exclude period like'.split(' '),
);

const create = function* (found: Found): Reading<void> {
  let token: Token = yield;
  while (token.is === 'word' && /^(?:temporary|global|local|unlogged|table|if|not|exists)$/i.test(token.value)) {
    token = yield;
  }
  const [table, next] = yield* name(token);
  if (!isSign(next, '(') || !found.wants(table)) return yield* pass(next);
  const columns: string[] = [];
  let first = true;
  for (let depth = 1; depth > 0;) {
    token = yield;
    if (first && (token.is !== 'word' || !noColumns.has(token.value.toLowerCase())))
      columns.push(token.value.toLowerCase());
    if (isSign(token, '(')) depth += 1;
    if (isSign(token, ')')) depth -= 1;
    first = depth === 1 && isSign(token, ',');
  }
  found.table(table, columns);
  yield* pass(yield);
};

const insert = function* (found: Found): Reading<void> {
  let token: Token = yield;
  while (token.is === 'word' && /^(?:low_priority|delayed|high_priority|ignore|or|replace|into)$/i.test(token.value)) {
    token = yield;
  }
  const [table, afterName] = yield* name(token);
  if (!found.wants(table)) return yield* pass(afterName);
  const columns = isSign(afterName, '(') ? yield* names() : undefined;
  token = columns ? yield : afterName;
  while (token.is === 'word' && /^(?:overriding|system|user|value)$/i.test(token.value)) token = yield;
  if (!isWord(token, 'values')) throw Invalid(`an INSERT into ${table} without VALUES`);
  do {
    const open = yield;
    if (!isSign(open, '(')) throw Invalid(`an INSERT into ${table} in a form that no dump program writes`);
    const values: DumpValue[] = [];
    do {
      const [one, next] = yield* value(yield);
      values.push(one);
      token = next;
    } while (isSign(token, ','));
    if (!isSign(token, ')')) throw Invalid(`an INSERT into ${table} in a form that no dump program writes`);
    found.row(table, columns, values);
    token = yield;
  } while (isSign(token, ','));
  yield* pass(token);
};

const copy = function* (found: Found): Reading<Token> {
  const [table, afterName] = yield* name(yield);
  const columns = isSign(afterName, '(') ? yield* names() : undefined;
  yield* pass(columns ? yield : afterName);
  found.lines();
  for (;;) {
    const token: Token = yield;
    if (token.is !== 'line') return token;
    if (found.wants(table)) found.row(table, columns, copyFields(token.value));
  }
};

/** What would change rows again that were read. */
const change = function* (found: Found): Reading<void> {
  let token: Token = yield;
  while (!isSign(token, ';')) {
    if ((token.is === 'name' || token.is === 'word') && found.wants(token.value.toLowerCase())) {
      throw Invalid(`a statement that changes rows of ${token.value}: this is more than a dump`);
    }
    token = yield;
  }
};

/** Takes the tokens one by one (`next(token)`), for ever. Throws Invalid. */
export const statements = function* (found: Found): Reading<never> {
  for (let token: Token | undefined; ;) {
    const first: Token = token ?? (yield);
    token = undefined;
    const verb = first.is === 'word' ? first.value.toLowerCase() : '';
    if (verb === 'create') yield* create(found);
    else if (verb === 'insert' || verb === 'replace') yield* insert(found);
    else if (verb === 'copy') token = yield* copy(found);
    else if (verb === 'update' || verb === 'delete') yield* change(found);
    else yield* pass(first);
  }
};
