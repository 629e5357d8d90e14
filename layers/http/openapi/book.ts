/** What the OpenAPI document of an API says that none of its rows does. A value like its protocol, and loaded by who asks. */
import type { Schema } from './schemas.ts';

export type Book = {
  readonly title: string;
  readonly description: string;
  /** A version as clients write it; of an API without versions always the same. */
  spell(version: number): string;
  /** The header that asks for a version; absent: there are none to ask for. */
  readonly header?: { readonly name: string; readonly description: string; readonly default: string };
  /** The body of a refusal. */
  readonly error: { readonly media: string; readonly schema: Schema };
  /** What stands beside the records of a list that has this name. */
  pages(list: string): Readonly<Record<string, Schema>>;
  /** With what each request may be refused, besides what follows from its row. */
  readonly refusals: readonly number[];
  /** What 202 means. */
  readonly accepted: string;
  /** Policies that look at the address of the caller, who need not say who he is. */
  readonly byAddress?: readonly string[];
};
