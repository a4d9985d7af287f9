/** The part of DuckDB's package that is used; its own types exist only where it is installed. */
declare module '@duckdb/node-api' {
  export class DuckDBInstance {
    /** @param path a file, or `:memory:` */
    static create(path: string, options?: Readonly<Record<string, string>>): Promise<DuckDBInstance>;
    connect(): Promise<DuckDBConnection>;
    closeSync(): void;
  }

  export class DuckDBConnection {
    /** Runs statements to their end, and keeps the rows of the last one. */
    run(sql: string, values?: readonly unknown[]): Promise<DuckDBResult>;
    /** Runs statements, and computes the rows of the last one as they are fetched. */
    stream(sql: string, values?: readonly unknown[]): Promise<DuckDBResult>;
    /** Analyses a statement, whose parameters have no values yet. */
    prepare(sql: string): Promise<DuckDBPreparedStatement>;
    /** Ends what the connection runs, with an error. */
    interrupt(): void;
    closeSync(): void;
  }

  export class DuckDBPreparedStatement {
    readonly columnCount: number;
    columnName(index: number): string;
    columnType(index: number): DuckDBType;
    destroySync(): void;
  }

  export class DuckDBResult {
    columnNames(): string[];
    columnTypes(): DuckDBType[];
    /** Null or an empty chunk after the last row. */
    fetchChunk(): Promise<DuckDBDataChunk | null>;
    /** Every row, with the values of JSON. */
    getRowsJson(): Promise<unknown[][]>;
  }

  export interface DuckDBType {
    readonly typeId: number;
    /** The name of a type that is made of another one, such as `JSON`. */
    readonly alias?: string;
    /** As SQL writes it, such as `DECIMAL(10,2)`. */
    toString(): string;
  }

  export class DuckDBDataChunk {
    readonly rowCount: number;
    readonly columnCount: number;
    getColumnVector(index: number): DuckDBVector;
  }

  /** The values of a column of a chunk. It keeps each value that it has read. */
  export interface DuckDBVector {
    getItem(index: number): unknown;
    /** Returns a vector of some of the values, which it reads itself. */
    slice(offset: number, length: number): DuckDBVector;
  }
}
