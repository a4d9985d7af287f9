import type { Driver, LineSink, Query, QueryResult, TableDescription } from './driver.js';
import { explainEnd } from './query-error.js';

/** A task of a process that reads a database: describes the tables, or runs a query. */
export interface WorkerTask {
  readonly tables: readonly string[];
  readonly query?: Query;
  /** True if the rows are written as lines. */
  readonly isStream?: boolean;
}

/** The result of a task; parts that it did not ask for are empty. */
export interface WorkerAnswer {
  readonly tables: TableDescription[];
  readonly result: QueryResult;
  /** The number of rows of the query, if those that were written are a sample of them. */
  readonly rowsInAll?: number;
}

/** The result of a task without a query, or whose rows were written. */
export const NO_ROWS: QueryResult = { columns: [], rows: [], truncated: false };

/**
 * Reads a database in worker processes, which can be ended whatever a query does in them.
 * @param run runs a task in a process, and passes the lines on that it writes
 */
export function workerDriver(
  name: string,
  run: (task: WorkerTask, signal: AbortSignal, onData: LineSink) => Promise<WorkerAnswer>,
): Pick<Driver, 'describe' | 'query' | 'read'> {
  const answer = async (task: WorkerTask, signal: AbortSignal, onData: LineSink = async () => {}) => {
    try {
      return await run(task, signal, onData);
    } catch (error) {
      throw explainEnd(error, `The database ${name} did not answer; try again.`);
    }
  };
  return {
    describe: async (tables, signal) => (await answer({ tables }, signal)).tables,
    query: async (query, signal) => (await answer({ tables: query.tables, query }, signal)).result,
    read: async (query, sink, signal) => {
      return (await answer({ tables: query.tables, query, isStream: true }, signal, sink)).rowsInAll;
    },
  };
}
