import { once } from 'node:events';
import { createServer, type RequestListener, type ServerOptions } from 'node:http';
import { readConfig } from '../../../server/config.js';
import { PreparedStatement } from '../../../server/store/database/dialect.js';
import { DatabaseSync, type SqliteConnection } from '../../../server/store/database/sqlite-connection.js';
import { Store } from '../../../server/store/index.js';

/** Opens the store that the environment names, as the service does. */
export function openStore(): Promise<Store> {
  const { databaseUrl, maxResources } = readConfig(process.env);
  return Store.open(databaseUrl, { limits: { resources: maxResources } });
}

/** Opens the file of the store that the environment names, without the store. */
export function openDatabase(): SqliteConnection {
  return new DatabaseSync(readConfig(process.env).databaseUrl.replace(/^file:/, ''));
}

/** A skill as the statement below returns it; `params` and `agent_ids` are JSON. */
type Row = Readonly<Record<'id' | 'name' | 'type' | 'params' | 'agent_ids' | 'created_at' | 'updated_at', string>>;

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

/** Listens where the environment says, and says so as the service does. */
export async function serve(listener: RequestListener, options: ServerOptions = {}): Promise<void> {
  const { host, port } = readConfig(process.env);
  const server = createServer(options, listener).listen(port, host);
  await once(server, 'listening');
  sayThatItListens(server.address());
}

/** @param address what the server says of itself */
export function sayThatItListens(address: unknown): void {
  if (typeof address !== 'object' || address === null || !('port' in address)) return;
  const url = `http://127.0.0.1:${address.port}`;
  process.stdout.write(`${JSON.stringify({ url, msg: 'listening' })}\n`);
}
