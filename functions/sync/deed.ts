/** What sync did about a run. */
export type Deed = 'none' | 'started' | 'failed' | 'stuck';
