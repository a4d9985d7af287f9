import { answered } from 'roster-client';
import { finishDeletion } from '../session/deletions.js';
import { uploadClient } from '../session/roster.js';
import { csvQuery, toUtf8 } from '../tables/csv-request.js';
import type { TableFormat } from '../tables/table-format.js';
import type { TableType, WorkbookPlace } from '../tables/table-head.js';
import type { toParameters } from './column-uses.js';
import type { tableQuery, validationQuery } from './settings.js';

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
        /** Codes of regions. */
        readonly holidays: string[];
        readonly horizon: number;
      }
    | undefined;
  /** The uses of columns, and the choices about the texts of the table, as parameters. */
  readonly settings?: ReturnType<typeof toParameters> &
    ReturnType<typeof tableQuery> &
    ReturnType<typeof validationQuery>;
  readonly table: Blob;
  /** The media type of the table, if it is not CSV. */
  readonly type?: TableType;
  /** The place of the table, if it is in a workbook. */
  readonly place?: WorkbookPlace | undefined;
  /** The format of CSV, if the service is not to find it itself. */
  readonly format?: TableFormat | undefined;
}

/** The progress of sending a table. */
export interface Sending {
  readonly step: 'sending';
  /** From 0 to 1. */
  readonly share: number;
}

/**
 * Sends a table, and returns when its training has begun.
 * @throws ProblemError if the service refuses the table, ConnectionError if it does not answer
 */
export async function sendTable(
  { project, name, target, task, series, settings, table, type = 'text/csv', place, format }: TrainingRequest,
  onProgress: (sending: Sending) => void,
  signal: AbortSignal,
): Promise<void> {
  const report = (share: number) => onProgress({ step: 'sending', share });
  report(0);
  await finishDeletion();
  const body = await toUtf8(table, format?.encoding);
  await answered(
    uploadClient(body, report).PUT('/api/projects/{projectName}/models/{modelName}', {
      params: {
        path: { projectName: project, modelName: name },
        query: { target, ...(task && { task }), ...series, ...settings, ...place, ...csvQuery(format) },
      },
      body,
      headers: { 'Content-Type': type },
      signal,
    }),
  );
}
