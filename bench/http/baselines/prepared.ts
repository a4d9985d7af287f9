import express from 'express';
import { readConfig } from '../../../server/config.js';
import {
  DatabaseSync,
  PreparedStatement,
} from '../../../server/store/database/sqlite-connection.js';
import { serve } from './serve.js';

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

/**
 * The least that `getSkill` can cost on Express and SQLite: one route, and one prepared statement for the project,
 * the skill and its agents. No store, no entity tag, no validation, no keys, no log.
 */
const database = new DatabaseSync(readConfig(process.env).databaseUrl.replace(/^file:/, ''));
const skill = new PreparedStatement<Row>(
  database,
  `
  select skills.id, skills.name, skills.type, skills.params, skills.created_at, skills.updated_at, (
    select json_group_array(agent_id order by agent_id) from agent_skills where skill_id = skills.id
  ) as agent_ids
  from projects join skills on skills.project_id = projects.id
  where projects.owner = 'local' and projects.name = ? and skills.name = ?
`,
);

const app = express();
app.disable('etag');
app.disable('x-powered-by');
app.get('/projects/:project/skills/:skill', ({ params }, res) => {
  const [row] = skill.all([params.project, params.skill]);
  if (!row) {
    res.status(404).json({ message: `There is no "${params.skill}"` });
    return;
  }
  const { id, name, type, created_at, updated_at } = row;
  const agent_ids: unknown = JSON.parse(row.agent_ids);
  const parsed: unknown = JSON.parse(row.params);
  res.json({ id, name, type, params: parsed, agent_ids, created_at, updated_at });
});

await serve(app);
