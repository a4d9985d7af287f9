import { answered } from 'roster-client';
import { uploadClient } from '../session/roster.js';
import type { TableFormat } from '../tables/table-format.js';
import { isPlainCsv, toPlainCsv } from '../tables/write-records.js';

/** A table to train a model with. */
export interface TrainingRequest {
  readonly project: string;
  readonly name: string;
  readonly target: string;
  /** The task, if not the one that the values suggest. */
  readonly task?: 'regression' | 'classification' | undefined;
  /** The series, if the target is to be forecast over time. */
  readonly series?:
    | {
        readonly order_by: string;
        readonly group_by: string[];
        readonly known: string[];
        readonly horizon: number;
      }
    | undefined;
  readonly table: Blob;
  /** The format of the table, if not commas and UTF-8. */
  readonly format?: TableFormat;
}

/** The progress of sending a table, from 0 to 1. */
export interface Sending {
  readonly step: 'converting' | 'sending';
  readonly share: number;
}

/**
 * Sends a table, and returns when its training has begun.
 * @throws TableFileError if the table cannot be converted
 * @throws ProblemError if the service refuses the table, ConnectionError if it does not answer
 */
export async function sendTable(
  { project, name, target, task, series, table, format }: TrainingRequest,
  onProgress: (sending: Sending) => void,
  signal: AbortSignal,
): Promise<void> {
  const report = (step: Sending['step']) => (share: number) => onProgress({ step, share });
  const isPlain = format === undefined || isPlainCsv(format);
  const body = isPlain ? table : await toPlainCsv(table, format, report('converting'), signal);
  report('sending')(0);
  await answered(
    uploadClient(body, report('sending')).PUT('/api/projects/{projectName}/models/{modelName}', {
      params: {
        path: { projectName: project, modelName: name },
        query: { target, ...(task && { task }), ...series },
      },
      body,
      headers: { 'Content-Type': 'text/csv' },
      signal,
    }),
  );
}
