/** Conditions and updates as DynamoDB expressions. Names and values go by placeholder only, whatever is in them. */
import type { Condition, Write } from '../table.ts';

type Update = Extract<Write, { update: unknown }>;

/** The parts of a request that hold an expression and its placeholders; empty when there is nothing to say. */
export type Expressions = {
  readonly ConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, unknown>;
};

/** Hands out placeholders: `#a0` for the first name, `:v0` for the first value. */
export const createPlaceholders = () => {
  const names = new Map<string, string>();
  const values: Record<string, unknown> = {};
  return {
    name: (attribute: string): string => {
      const known = names.get(attribute) ?? `#a${names.size}`;
      names.set(attribute, known);
      return known;
    },
    value: (value: unknown): string => {
      const placeholder = `:v${Object.keys(values).length}`;
      values[placeholder] = value;
      return placeholder;
    },
    /** DynamoDB refuses empty maps. */
    used: (): Expressions => ({
      ...(names.size > 0 && {
        ExpressionAttributeNames: Object.fromEntries([...names].map(([name, placeholder]) => [placeholder, name])),
      }),
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    }),
  };
};

export type Placeholders = ReturnType<typeof createPlaceholders>;

const compile = (condition: Condition, { name, value }: Placeholders): string => {
  switch (condition.is) {
    case 'absent':
      return `attribute_not_exists(${name('pk')})`;
    case 'present':
      return `attribute_exists(${name('pk')})`;
    case 'unset': {
      const attribute = name(condition.attribute);
      return `(attribute_not_exists(${attribute}) OR ${attribute} = ${value(null)})`;
    }
    case 'equal':
      return `${name(condition.attribute)} = ${value(condition.value)}`;
    case 'below':
      return `${name(condition.attribute)} < ${value(condition.value)}`;
  }
};

const compileUpdate = ({ set = {}, remove = [] }: Update, { name, value }: Placeholders): string =>
  [
    ['SET', Object.entries(set).map(([attribute, to]) => `${name(attribute)} = ${value(to)}`)] as const,
    ['REMOVE', remove.map(name)] as const,
  ]
    .filter(([, parts]) => parts.length > 0)
    .map(([verb, parts]) => `${verb} ${parts.join(', ')}`)
    .join(' ');

/** The expressions of one write. */
export const expressionsOf = (write: Write): Expressions => {
  const placeholders = createPlaceholders();
  const condition = (write.when ?? []).map((one) => compile(one, placeholders)).join(' AND ');
  const update = 'update' in write ? compileUpdate(write, placeholders) : '';
  return {
    ...(condition && { ConditionExpression: condition }),
    ...(update && { UpdateExpression: update }),
    ...placeholders.used(),
  };
};
