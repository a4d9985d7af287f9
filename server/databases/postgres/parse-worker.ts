import { limitMemory } from '../../workers/limit-memory.js';
import { serveJobs } from '../../workers/serve-jobs.js';
import { QueryError } from '../query-error.js';
import { type ParseResult, parseSelect } from './parse-select.js';

/**
 * The most memory of the process, in bytes. Usual statements need some 110 MiB. WebAssembly returns
 * none, so the pool keeps no process with more than 256 MiB: any statement has as much again.
 */
const MAX_MEMORY = 512 * 1024 * 1024;

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
