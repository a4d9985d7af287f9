import { setTimeout as pause } from 'node:timers/promises';
import { answered, createRosterClient, type Model, type RosterClient, untilReady } from 'roster-client';
import { fewDiamonds } from '../data/diamonds.js';

const MODEL = '/api/projects/{projectName}/models/{modelName}';

interface ModelPath {
  projectName: string;
  modelName: string;
}

/** Sends CSV to a model of prices, which starts its training with the least effort: tests of accuracy train their own. */
export function putPrices(roster: RosterClient, path: ModelPath, csv = fewDiamonds) {
  return roster.PUT(MODEL, {
    params: { path, query: { target: 'price', effort: 'fast' } },
    body: csv,
    headers: { 'Content-Type': 'text/csv' },
  });
}

/** Trains a model of prices from CSV, and waits until that version is ready or failed. */
export async function trainPrices(roster: RosterClient, path: ModelPath, csv?: string): Promise<Model> {
  return settled(roster, path, await answered(putPrices(roster, path, csv)));
}

/** Polls a model until its newest version is ready or failed. */
export async function settled(roster: RosterClient, path: ModelPath, model?: Model): Promise<Model> {
  let latest = model;
  while (latest === undefined || latest.status === 'training') {
    if (latest) await pause(100);
    latest = await answered(roster.GET(MODEL, { params: { path } }));
  }
  return latest;
}

/**
 * Waits until the model at an address is ready.
 * @param headers the key, as `Authorization: Bearer …`, if the service requires one
 * @throws if the training failed
 */
export async function untilReadyAt(
  address: string,
  headers: Readonly<Record<string, string | number>> = {},
): Promise<void> {
  const [baseUrl = '', names = ''] = address.split('/api/projects/');
  const [projectName = '', modelName = ''] = names.split('/models/');
  const apiKey = String(headers['Authorization'] ?? '').replace(/^Bearer /, '');
  const roster = createRosterClient({ baseUrl, apiKey });
  await untilReady(roster, { projectName, modelName }, { every: 50 });
}
