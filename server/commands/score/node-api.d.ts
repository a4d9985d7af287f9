/** More of DuckDB's package, for rows that leave and enter it by column; the rest is in `databases/duckdb/`. */
import '@duckdb/node-api';

declare module '@duckdb/node-api' {
  interface DuckDBConnection {
    registerTableFunction(tableFunction: DuckDBTableFunction): void;
  }

  interface DuckDBVector {
    /** The values as bytes, where all take as many. */
    readonly items?: ArrayBufferView;
    readonly dataView?: DataView;
    /** A bit for each value, 0 where it is missing; null, if none is. */
    readonly validity: { readonly data: BigUint64Array | null };
    setItem(index: number, value: unknown): void;
    /** Hands what was set to DuckDB. */
    flush(): void;
  }

  /** A chunk that a table function fills: its row count is set first; 0 ends the table. */
  export interface DuckDBOutputChunk {
    rowCount: number;
    getColumnVector(index: number): DuckDBVector;
  }

  export interface DuckDBTableFunction {
    destroySync(): void;
  }

  export const DuckDBTableFunction: {
    create(definition: {
      readonly name: string;
      readonly bindFunction: (info: {
        addResultColumn(name: string, type: DuckDBType): void;
        setCardinality(rows: number, isExact: boolean): void;
      }) => void;
      readonly initFunction: (info: { setMaxThreads(threads: number): void }) => void;
      readonly mainFunction: (info: { setError(message: string): void }, output: DuckDBOutputChunk) => void;
    }): DuckDBTableFunction;
  };

  export const DOUBLE: DuckDBType;
  export const BOOLEAN: DuckDBType;
  export const VARCHAR: DuckDBType;
  export function LIST(of: DuckDBType): DuckDBType;
  export function listValue(items: readonly unknown[]): unknown;
}
