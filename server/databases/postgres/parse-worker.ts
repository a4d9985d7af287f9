import { serveJobs } from '../../work/serve-jobs.js';
import { QueryError } from '../query-error.js';
import { type ParseResult, parseSelect } from './parse-select.js';

/** Runs in a process of its own: parses statements that may be hostile. */
await serveJobs(parse);

/** @throws what the parser throws when it fails by itself: the pool then ends the process */
async function parse(sql: string): Promise<ParseResult> {
  try {
    return { parsed: await parseSelect(sql) };
  } catch (error) {
    if (error instanceof QueryError) return { refused: error.message };
    throw error;
  }
}
