/** `events` has no settings of its own; the schema keeps the shape that every function has. */
import * as z from 'zod';

export const Config = z.object({});

export type Config = z.output<typeof Config>;
