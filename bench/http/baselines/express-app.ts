import express, { type ErrorRequestHandler, type Express, type Response } from 'express';
import type { Answer, Work } from './work.js';

/**
 * Express as it comes, with a route for each operation. So each answer has an ETag, made of its text, as
 * Roster's have.
 * @param prepare adds what a request goes through before its route
 */
export function expressApp(work: Work, prepare: (app: Express) => void = () => {}): Express {
  const app = express();
  app.use(express.json());
  prepare(app);
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
  app.use(refuse);
  return app;
}

function send(res: Response, { status, body, location }: Answer): void {
  if (location) res.location(location);
  res.status(status).json(body);
}

/** As the validator's README has it. */
const refuse: ErrorRequestHandler = (error, _req, res, _next) => {
  res.status(error.status ?? 500).json({ message: error.message, errors: error.errors });
};
