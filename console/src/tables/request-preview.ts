import { answered } from 'roster-client';
import { roster } from '../session/roster.js';
import { csvQuery, toUtf8 } from './csv-request.js';
import { type Preview, type PreviewAnswer, type PreviewMarks, type PreviewQuery, toPreview } from './preview.js';
import type { TableFormat } from './table-format.js';
import { isCsv, MAX_HEAD_BYTES, type TableHead } from './table-head.js';

/**
 * Lets the service read the beginning of a table.
 * @param query the marks, and the place of the table in its file
 * @throws ProblemError or ConnectionError if the service cannot read it, or does not answer
 */
export async function requestPreview(
  project: string,
  { file, type }: Pick<TableHead, 'file' | 'type'>,
  query: PreviewQuery,
  signal?: AbortSignal,
  encoding?: TableFormat['encoding'],
): Promise<PreviewAnswer> {
  // The beginning of these formats can be read. It ends within a line.
  const isCut = /json$|csv$/.test(type) && file.size > MAX_HEAD_BYTES;
  const answer = await answered(
    roster.POST('/api/projects/{projectName}/tables/preview', {
      params: { path: { projectName: project }, query },
      body: await toUtf8(isCut ? file.slice(0, MAX_HEAD_BYTES) : file, encoding),
      headers: { 'Content-Type': type },
      ...(signal && { signal }),
    }),
  );
  return { ...answer, isCut };
}

/**
 * Reads the beginning of a table by other marks.
 * @throws ProblemError or ConnectionError, as `requestPreview` does
 */
export async function readPreview(
  project: string,
  head: TableHead,
  marks: PreviewMarks,
  signal: AbortSignal,
): Promise<Preview> {
  const format = isCsv(head) ? head.format : undefined;
  const query = { ...marks, ...head.workbook?.place, ...csvQuery(format) };
  return toPreview(await requestPreview(project, head, query, signal, format?.encoding));
}
