import { fileURLToPath } from 'node:url';
import express, { type ErrorRequestHandler, type Express, type Response } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { LOCAL_OWNER } from '../../../server/auth/caller.js';
import { root } from '../../../testkit/root.js';
import { openDatabase, openStore, prepareSkill, serve } from './serve.js';
import { type Answer, Work } from './work.js';

/** Express as it comes; `BASELINE` says what its requests go through. */
const { BASELINE } = process.env;
await serve(BASELINE === 'prepared' ? preparedApp() : await workingApp());

/**
 * Does the work of the operations, and nothing else: no keys, no log. Each answer has an ETag, made of its text, as
 * Roster's have.
 */
async function workingApp(): Promise<Express> {
  const work = new Work(await openStore());
  const app = express();
  app.use(express.json());
  // As the validator's README shows it, which validates requests. It would validate answers, if it were asked to.
  if (BASELINE === 'validator') {
    const apiSpec = fileURLToPath(new URL('openapi.yaml', root));
    app.use(OpenApiValidator.middleware({ apiSpec }));
  }
  const skills = '/projects/:project/skills';
  app.get(`${skills}/:skill`, async ({ params }, res) => {
    send(res, await work.getSkill(params.project, params.skill));
  });
  app.get(skills, async ({ params, query }, res) => {
    const limit = query['limit'] === undefined ? undefined : Number(query['limit']);
    send(res, await work.listSkills(params.project, limit));
  });
  app.post(skills, async ({ params, body }, res) => {
    send(res, await work.createSkill(params.project, body));
  });
  app.put('/projects/:project/agents/:agent', async ({ params, body }, res) => {
    send(res, await work.updateAgent(params.project, params.agent, body));
  });
  const refuse: ErrorRequestHandler = (error, _req, res, _next) => {
    res.status(error.status ?? 500).json({ message: error.message, errors: error.errors });
  };
  app.use(refuse);
  return app;
}

function send(res: Response, { status, body, location }: Answer): void {
  if (location) res.location(location);
  res.status(status).json(body);
}

/**
 * The least that `getSkill` can cost on Express and SQLite: one route, and one prepared statement. No store, no
 * entity tag, no validation, no keys, no log.
 */
function preparedApp(): Express {
  const findSkill = prepareSkill(openDatabase());
  const app = express();
  app.disable('etag');
  app.disable('x-powered-by');
  app.get('/projects/:project/skills/:skill', ({ params }, res) => {
    const skill = findSkill(LOCAL_OWNER, params.project, params.skill);
    if (skill) res.json(skill);
    else res.status(404).json({ message: `There is no "${params.skill}"` });
  });
  return app;
}
