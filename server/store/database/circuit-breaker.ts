import { isLockTimeout, StoreBusyError } from './unavailable.js';

/** Reads wait for locks of whole tables only; what locks rows may wait for one row, which says nothing of the table. */
const READ = /^select\b(?!.*\bfor update\b)/s;
const TABLE = /\b(?:from|join) "(\w+)"/g;

/**
 * Keeps reads of a locked table from taking the connections that reads of other tables need (the circuit
 * breaker of M. Nygard, "Release It!", 2nd ed., chapter 5). Once a read of some tables has waited for a lock in
 * vain, one read of these tables at a time may try again; others fail at once until one succeeds.
 */
export class CircuitBreaker {
  /** The tables whose reads fail, and whether one is being tried. */
  readonly #open = new Map<string, { isTrying: boolean }>();

  /**
   * Runs a statement.
   * @throws {StoreBusyError} if it is a read of tables that are known to be locked
   */
  run<T>(sql: string, execute: () => Promise<T>): Promise<T> {
    const tables = READ.test(sql) ? tablesOf(sql) : '';
    return tables === '' ? execute() : this.#read(tables, execute);
  }

  async #read<T>(tables: string, execute: () => Promise<T>): Promise<T> {
    const open = this.#open.get(tables);
    if (open?.isTrying) {
      throw new StoreBusyError('What the request needs is locked in the store; try again later.');
    }
    if (open) open.isTrying = true;
    try {
      const result = await execute();
      if (open) this.#open.delete(tables);
      return result;
    } catch (error) {
      // Reads that began together fail together: the first opens it, and the others must not let more try.
      if (isLockTimeout(error) && !this.#open.has(tables)) {
        this.#open.set(tables, { isTrying: false });
      }
      throw error;
    } finally {
      if (open) open.isTrying = false;
    }
  }
}

/** The names of the tables that a statement reads, in the order of the alphabet. */
function tablesOf(sql: string): string {
  const names = Array.from(sql.matchAll(TABLE), ([, name]) => name);
  return [...new Set(names)].sort().join();
}
