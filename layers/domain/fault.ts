/**
 * The one error of Ingot. `name` is what clients, logs and ASL `ErrorEquals` match, so it is set explicitly (a
 * minifier renames classes, not strings). `code` is the HTTP status the fault has when it reaches the wire.
 * `message` says what is wrong, where, and what to do; it never holds a secret. The cause goes to the log only.
 */
export class Fault extends Error {
  readonly code: number;
  /** Seconds after which to try again, of what was refused on purpose and not because something is broken. */
  readonly retryAfter: number | undefined;
  /** What can be done instead, of a method that cannot (405). */
  readonly allow: readonly string[] | undefined;

  constructor(name: string, code: number, message: string, options?: FaultOptions) {
    super(message, options);
    this.name = name;
    this.code = code;
    this.retryAfter = options?.retryAfter;
    this.allow = options?.allow;
  }
}

type FaultOptions = { cause?: unknown; retryAfter?: number; allow?: readonly string[] };

/** Whether an error is one of ours, with a name, a status and a text for people. */
export const isFault = (error: unknown): error is Fault => error instanceof Fault;

/**
 * Whether what was asked has surely not been done, so that what was prepared for it may be undone. A status of 500 and
 * more may be that of an answer that was lost on its way back, and an error that is not ours says nothing at all.
 */
export const isRefusal = (error: unknown): error is Fault => isFault(error) && error.code < 500;

const maker = (name: string, code: number) => (message: string, cause?: unknown) =>
  new Fault(name, code, message, { cause });

/** One maker for each status that the API answers with; the name is the one that logs and ASL see. */
export const Invalid = maker('Invalid', 400);
export const Unauthorized = maker('Unauthorized', 401);
export const Forbidden = maker('Forbidden', 403);
export const NotFound = maker('NotFound', 404);
/** `allow`: the methods that are possible, where they are known. */
export const MethodNotAllowed = (message: string, allow?: readonly string[]) =>
  new Fault('MethodNotAllowed', 405, message, allow && { allow });
export const NotAcceptable = maker('NotAcceptable', 406);
export const Conflict = maker('Conflict', 409);
export const TooLarge = maker('TooLarge', 413);
export const Unavailable = maker('Unavailable', 503);

/** Another API does not take the credential of this installation. Why, is for the log only. */
export const ServiceCredential = maker('ServiceCredential', 503);

/** Ironic's words for a held lock; SDKs recognise and retry it (409). `holder` is the run that holds the node. */
export const NodeLocked = (uuid: string, holder: string) =>
  new Fault(
    'NodeLocked',
    409,
    `Node ${uuid} is locked by host ${holder}, please retry after the current operation is completed.`,
  );
