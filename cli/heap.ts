/** The memory of commands that read much and keep little of it. */
import { setFlagsFromString } from 'node:v8';

/** Else V8 lets what is read and done with lie until there is more of it than of all that is kept. */
export const keepHeapSmall = (): void => setFlagsFromString('--optimize-for-size');
