/** A model of prices on a test's own server, without keys. */
import { setTimeout as pause } from 'node:timers/promises';
import { createRosterClient, type Model } from 'roster-client';
import { expect } from 'vitest';
import type { ServerProcess } from './server-process.js';
import { putPrices, settled } from './train-prices.js';

const MODEL = '/api/projects/{projectName}/models/{modelName}';
const path = { projectName: 'default', modelName: 'diamond_prices' };
/** The address for predictions. */
export const PREDICT = '/api/projects/default/models/diamond_prices/predict';

/** Starts the training, with a few diamonds unless a table is given. */
export function train({ url }: ServerProcess, table?: string) {
  return putPrices(createRosterClient({ baseUrl: url }), path, table);
}

/** Reads the model once. */
export async function shown({ url }: ServerProcess) {
  const { data } = await createRosterClient({ baseUrl: url }).GET(MODEL, { params: { path } });
  return data;
}

/** Waits until the training has ended, and returns the model. */
export function untilTrained({ url }: ServerProcess): Promise<Model> {
  return settled(createRosterClient({ baseUrl: url }), path);
}

/** Returns a prediction as text, for exact comparisons. */
export async function predictionText({ url }: ServerProcess): Promise<string> {
  const answer = await fetch(url + PREDICT, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify([{ carat: 0.7, cut: 'Ideal', color: 'G', x: 5.7 }, { carat: 2 }]),
  });
  expect(answer.status).toBe(200);
  return answer.text();
}

/** Waits until a server has logged a line with the given words. */
export async function untilLogged({ log }: ServerProcess, words: string): Promise<void> {
  while (!log.some((line) => line.includes(words))) await pause(10);
}
