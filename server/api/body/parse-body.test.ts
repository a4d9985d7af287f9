import express, { type ErrorRequestHandler } from 'express';
import { expect, test } from 'vitest';
import { readContract } from '../../../contract/document.js';
import { listen } from '../../../testkit/http/listen.js';
import { ProblemError } from '../../problems/problem.js';
import { parseBody } from './parse-body.js';

const contract = readContract(new URL('../../../openapi.yaml', import.meta.url));

test('a name of a megabyte is not in the pointer to each of a hundred faults below it', async () => {
  const operation = contract.operations.find(({ id }) => id === 'createSkill') ?? expect.fail();
  const parse = parseBody(contract, operation);
  let problem: unknown;
  const keep: ErrorRequestHandler = (error, _req, res, _next) => {
    problem = error;
    res.end();
  };
  const app = express()
    .use(express.raw({ type: () => true, limit: '2mb' }))
    .use(async (req, res) => {
      await parse(req, res);
      res.end();
    })
    .use(keep);
  const numbers = Array.from({ length: 1000 }, () => '1e999');
  await fetch(await listen(app), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: `{"skill":{"params":{"${'/'.repeat(900_000)}":[${numbers}]}}}`,
  });
  const { errors } = problem instanceof ProblemError ? Object(problem.members) : expect.fail();
  expect(errors).toHaveLength(100);
  for (const { pointer } of errors) expect(pointer.length).toBeLessThan(21_000);
});
