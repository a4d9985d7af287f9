import { type ArrowValues, type Field, param, TypeId } from 'roster-prediction/arrow';
import type { RowBatch } from './row-batch.js';

/** A column that an answer adds to rows. */
export interface AnswerColumn {
  readonly name: string;
  readonly type: AnswerType;
}

export type AnswerType = 'DOUBLE' | 'BOOLEAN' | 'VARCHAR' | 'VARCHAR[]';

/** The answers to rows, in their order. */
export interface AnswerBatch {
  readonly rows: number;
  readonly columns: readonly ArrowValues[];
}

/** A model that answers rows. */
export interface Scorer {
  /** The columns of each answer. */
  readonly columns: readonly AnswerColumn[];
  /** The most requests at once. */
  readonly parallel: number;
  /**
   * Answers rows, all of them or none.
   * @throws the reason of `signal` once it is aborted
   * @throws if the rows cannot be answered, in words for the user
   */
  score(batch: RowBatch, signal: AbortSignal): Promise<readonly AnswerBatch[]>;
}

export function readAnswerColumn({ name, type, dictionary, children: [within] }: Field): AnswerColumn {
  if (dictionary || type.id === TypeId.Utf8) return { name, type: 'VARCHAR' };
  if (type.id === TypeId.Float && param(type, 0) === 2) return { name, type: 'DOUBLE' };
  if (type.id === TypeId.Bool) return { name, type: 'BOOLEAN' };
  if (type.id === TypeId.List && within?.type.id === TypeId.Utf8) return { name, type: 'VARCHAR[]' };
  throw new Error(`the service answers with a column ${name} of a type that this release does not know; update roster`);
}
