import { MEDIA_TYPES } from 'roster-client';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { columnsOf, fileOf } from '../../testkit/data/table-files.js';
import { wireBytes } from '../../testkit/http/load.js';
import { middle, type Rate } from './rate.js';

/** The rows of a body. */
export const ROWS = 10_000;

/** The formats of bodies that are answered in the same format. */
export type BodyFormat = 'json' | 'ndjson' | 'csv' | 'arrow-stream';

const columns = columnsOf(diamondTable(ROWS).rows);

/** Returns a body of 10,000 diamonds. */
export function bodyOf(format: BodyFormat): Buffer {
  return fileOf(format, columns);
}

/** Returns a request to predict 10,000 diamonds, which asks for an answer in the same format. */
export function requestOf(url: string, path: string, format: BodyFormat): Buffer {
  const mediaType = MEDIA_TYPES[format];
  const headers = { 'Content-Type': mediaType, Accept: mediaType };
  return wireBytes(url, 'POST', path, bodyOf(format), headers);
}

/** Tells the rows a second of requests of 10,000 rows. */
export function rowsASecond(rates: readonly Rate[]): string {
  return `${Math.round((middle(rates, 'perSecond') * ROWS) / 1000).toLocaleString('en')} k rows/s`;
}
