/** What phases of workflows have in common, whoever owns the run: the words that they answer. */

/** The words that a phase may answer, by the names under which a Choice of the ASL reads them; a test compares them. */
export type Answers = { readonly [name: string]: readonly string[] };

/** Of most phases: a Choice has nothing to read. */
export type Nothing = { readonly [name: string]: readonly never[] };

/** One of the words under each name. */
export type Answer<A extends Answers> = { readonly [N in keyof A]: A[N][number] };

/** How a phase ended: it has done its work, or somebody will call with the token of the state. */
export type Ended = { readonly is: 'done'; readonly output: Answer<Answers> } | { readonly is: 'wait' };

/** `X`: what the phase works with, `O`: what it may end in. It may be cut off anywhere, and is then run again from its start. */
export type Phase<X, O extends Ended> = {
  /** Missing where it answers nothing. */
  readonly answers?: Answers;
  run(context: X): Promise<O>;
};

type Marked = { readonly phase?: { readonly run: string; readonly name: string } | null };

/** Whether what a run owns is in this very phase of it. One that waited may have been ended by an event meanwhile. */
export const isMarked = (
  { phase: mark }: Marked,
  { run, phase }: { readonly run: string; readonly phase: string },
): boolean => mark?.run === run && mark.name === phase;
