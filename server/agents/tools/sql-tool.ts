import { asRecord } from '../../../contract/json-record.js';
import { LruCache } from '../../common/lru-cache.js';
import type { TableDescription } from '../../databases/driver.js';
import type { SqlDatabases } from '../../databases/sql-databases.js';
import {
  type AgentSkill,
  areNames,
  type SkillTool,
  type ToolDescription,
  ToolError,
  type ToolResult,
  throwToolError,
} from './tool.js';

/** The time for which the columns of tables are kept, in milliseconds. */
const KEPT_MS = 60_000;

const MAX_CHARACTERS = 8000;

/** Makes the tools of skills of the type `sql` (`params: {database, tables}`). */
export class SqlTools {
  readonly #described = new LruCache<{ readonly tables: readonly TableDescription[]; readonly at: number }>({
    maxEntries: 1000,
  });

  constructor(private readonly databases: SqlDatabases) {}

  /**
   * @throws {ToolError} if the tool cannot be used now, with the reason
   * @throws the reason of `signal`
   */
  async create(skill: AgentSkill, owner: string, signal: AbortSignal): Promise<SkillTool> {
    return {
      ...(await this.describe(skill, owner, signal)),
      run: (input, cancelled) => this.run(skill, owner, input, cancelled),
    };
  }

  /** Describes the tool of a skill; throws as `create`. */
  async describe({ params }: Pick<AgentSkill, 'params'>, owner: string, signal: AbortSignal): Promise<ToolDescription> {
    const { database, tables } = readParams(params);
    const { description } = params;
    const described = await this.#describe(owner, database, tables, signal);
    return {
      description: [
        ...(typeof description === 'string' ? [description] : []),
        `Reads the database ${JSON.stringify(database)} with one SELECT of ${this.databases.dialect(owner, database)}. Tables:`,
        ...described.map(tableText),
      ]
        .join('\n')
        .slice(0, MAX_CHARACTERS),
      parameters: PARAMETERS,
      output: OUTPUT,
    };
  }

  /** Runs one statement for the tool of a skill; throws as a tool. */
  async run(
    { params }: Pick<AgentSkill, 'params'>,
    owner: string,
    input: unknown,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    const { database, tables } = readParams(params);
    const { sql } = asRecord(input);
    if (typeof sql !== 'string') throw new ToolError('Send the statement as "sql".');
    const data = await this.databases.query(owner, database, tables, sql, signal).catch(throwToolError);
    return { data };
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
    const described = await this.databases.describe(owner, database, tables, signal).catch(throwToolError);
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

const OUTPUT = {
  type: 'object',
  properties: {
    columns: { type: 'array', items: { type: 'string' } },
    rows: { type: 'array', items: { type: 'array' } },
    truncated: { type: 'boolean', description: 'Whether there are more rows than these.' },
  },
  required: ['columns', 'rows', 'truncated'],
};

function readParams({ database, tables }: AgentSkill['params']) {
  if (typeof database !== 'string' || !areNames(tables)) {
    throw new ToolError('Its params name no database and tables.');
  }
  return { database, tables };
}

function tableText({ name, columns }: TableDescription): string {
  return `${name}(${columns.map((column) => `${column.name} ${column.type}`.trim()).join(', ')})`;
}
