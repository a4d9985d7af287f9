import { LruCache } from '../../common/lru-cache.js';
import type { TableDescription } from '../../databases/driver.js';
import type { SqlDatabases } from '../../databases/sql-databases.js';
import { ProblemError } from '../../problems/problem.js';
import { type Tool, ToolError, type ToolSkill } from './tool.js';

/** The time for which the columns of tables are kept, in milliseconds. */
const KEPT_MS = 60_000;

const MAX_CHARACTERS = 8000;

/** Makes the tools of skills of the type `sql` (`params: {database, tables}`). */
export class SqlTools {
  readonly #described = new LruCache<{
    readonly tables: readonly TableDescription[];
    readonly at: number;
  }>({ maxEntries: 1000 });

  constructor(private readonly databases: SqlDatabases) {}

  /**
   * @throws {ToolError} if the tool cannot be used now, with the reason
   * @throws the reason of `signal`
   */
  async create(skill: ToolSkill, owner: string, signal: AbortSignal): Promise<Tool> {
    const { database, tables, description } = skill.params;
    if (typeof database !== 'string' || !areNames(tables)) {
      throw new ToolError('Its params name no database and tables.');
    }
    const described = await this.#describe(owner, database, tables, signal);
    return {
      ...{ name: skill.toolName, skill: skill.name },
      description: [
        ...(typeof description === 'string' ? [description] : []),
        `Reads the database ${JSON.stringify(database)} with one SELECT. Tables:`,
        ...described.map(tableText),
      ]
        .join('\n')
        .slice(0, MAX_CHARACTERS),
      parameters: PARAMETERS,
      run: async (input, cancelled) => {
        const { sql } = Object(input);
        if (typeof sql !== 'string') throw new ToolError('Send the statement as "sql".');
        const result = await this.databases
          .query(owner, database, tables, sql, cancelled)
          .catch(throwToolError);
        return { text: JSON.stringify(result) };
      },
    };
  }

  async #describe(
    owner: string,
    database: string,
    tables: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly TableDescription[]> {
    const key = JSON.stringify([owner, database, tables]);
    const kept = this.#described.get(key);
    if (kept && performance.now() - kept.at < KEPT_MS) return kept.tables;
    const described = await this.databases
      .describe(owner, database, tables, signal)
      .catch(throwToolError);
    this.#described.set(key, { tables: described, at: performance.now() });
    return described;
  }
}

const PARAMETERS = {
  type: 'object',
  properties: { sql: { type: 'string', description: 'One SELECT statement.' } },
  required: ['sql'],
  additionalProperties: false,
};

/** The language model reads why a database refuses a query, or does not answer. */
function throwToolError(error: unknown): never {
  throw error instanceof ProblemError ? new ToolError(error.message, { cause: error }) : error;
}

function areNames(value: unknown): value is string[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')
  );
}

function tableText({ name, columns }: TableDescription): string {
  return `${name}(${columns.map((column) => `${column.name} ${column.type}`.trim()).join(', ')})`;
}
