import express from 'express';
import { LOCAL_OWNER } from '../../../server/auth/caller.js';
import { openDatabase, prepareSkill } from './prepared-skill.js';
import { serve } from './serve.js';

/**
 * The least that `getSkill` can cost on Express and SQLite: one route, and one prepared statement. No store, no
 * entity tag, no validation, no keys, no log.
 */
const findSkill = prepareSkill(openDatabase());

const app = express();
app.disable('etag');
app.disable('x-powered-by');
app.get('/projects/:project/skills/:skill', ({ params }, res) => {
  const skill = findSkill(LOCAL_OWNER, params.project, params.skill);
  if (skill) res.json(skill);
  else res.status(404).json({ message: `There is no "${params.skill}"` });
});

await serve(app);
