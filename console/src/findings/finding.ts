import type { components } from 'roster-client';

/** What looks odd in a table, what it may do to a model, and the parameters of a training that mend it. */
export type Finding = components['schemas']['Finding'];

/** A parameter of a training, and its value. */
export type Remedy = Finding['remedies'][number];
