import { limitMemory } from '../../workers/limit-memory.js';
import { serveJobs } from '../../workers/serve-jobs.js';
import { QueryError } from '../query-error.js';
import { type ParseResult, parseSelect } from './parse-select.js';

/** The most memory of the process, in bytes; usual statements need some 110 MiB. */
const MAX_MEMORY = 256 * 1024 * 1024;

/** Runs in a process of its own: parses statements that may be hostile. */
limitMemory(MAX_MEMORY);
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
