import { readConfig } from '../../../server/config.js';
import { PreparedStatement } from '../../../server/store/database/dialect.js';
import {
  DatabaseSync,
  type SqliteConnection,
} from '../../../server/store/database/sqlite-connection.js';

/** A skill as the statement below returns it. */
interface Row {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly params: string;
  readonly agent_ids: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Opens the file of the store that the environment names, without the store. */
export function openDatabase(): SqliteConnection {
  return new DatabaseSync(readConfig(process.env).databaseUrl.replace(/^file:/, ''));
}

/**
 * Returns a function that reads a skill of an owner by one prepared statement, which has the project, the skill and
 * its agents; undefined if there is none.
 */
export function prepareSkill(
  database: SqliteConnection,
): (owner: string, project: string, name: string) => object | undefined {
  const statement = new PreparedStatement<Row>(
    database,
    `
    select skills.id, skills.name, skills.type, skills.params, skills.created_at, skills.updated_at, (
      select json_group_array(agent_id order by agent_id) from agent_skills where skill_id = skills.id
    ) as agent_ids
    from projects join skills on skills.project_id = projects.id
    where projects.owner = ? and projects.name = ? and skills.name = ?
  `,
  );
  return (...names) => {
    const [row] = statement.all(names);
    if (!row) return undefined;
    const { id, name, type, created_at, updated_at } = row;
    const agent_ids: unknown = JSON.parse(row.agent_ids);
    const params: unknown = JSON.parse(row.params);
    return { id, name, type, params, agent_ids, created_at, updated_at };
  };
}
