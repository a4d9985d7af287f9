import type { components } from 'roster-client';

/** A finding of a table: its message, its effect on a model, and the parameters of a training that mend it. */
export type Finding = components['schemas']['Finding'];

/** A parameter of a training, and its value. */
export type Remedy = Finding['remedies'][number];
