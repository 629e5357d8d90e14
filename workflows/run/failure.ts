/** How the end of a run that failed is told, whoever owns the run. */

/** What went wrong where. `error` is a fault's name, `message` its text; neither holds a secret. */
export type Failure = { readonly phase: string; readonly error: string; readonly message: string };

/** The failure that the engine hands to the Fail phase: Catch's Error and Cause, the latter JSON if a function threw, empty for a timeout. */
export const failureOf = (phase: string, error: string, cause: string | undefined): Failure => {
  try {
    const { errorMessage } = JSON.parse(cause ?? '') as { errorMessage?: unknown };
    return { phase, error, message: typeof errorMessage === 'string' ? errorMessage : error };
  } catch {
    // A timeout has no cause.
    return { phase, error, message: cause || error };
  }
};
