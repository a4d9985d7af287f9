/** Models of several versions, of which an answer shows its version by the prices. */
import type { Model } from 'roster-client';
import { slowTable } from '../../../testkit/data/diamonds.js';
import { trainPrices } from '../../../testkit/service/train-prices.js';
import { ownProject, roster, sendJson } from '../../target.js';

export const ONE = '/api/projects/{projectName}/models/{modelName}';
export const VERSIONS = '/api/projects/{projectName}/models/{modelName}/versions';
export const VERSION = '/api/projects/{projectName}/models/{modelName}/versions/{version}';
const TRAINING = '/api/projects/{projectName}/models/{modelName}/versions/{version}/training';
export const SERVING = '/api/projects/{projectName}/models/{modelName}/serving';

export type Path = { projectName: string; modelName: string };

/** A table of prices about so many thousands, by which an answer shows its version. */
export function tableOf(thousands: number): string {
  const line = (row: number) => `${row / 100},${1000 * thousands + row}`;
  return ['carat,price', ...Array.from({ length: 100 }, (_, row) => line(row))].join('\n');
}

export async function modelOfVersions(count: number): Promise<Path> {
  const path = { projectName: await ownProject(), modelName: 'prices' };
  for (let version = 1; version <= count; version++) {
    await trainPrices(roster, path, tableOf(version));
  }
  return path;
}

export const addressOf = ({ projectName, modelName }: Path) => `/api/projects/${projectName}/models/${modelName}`;

/** Which version answers, by the prices that it was trained with. */
export async function answeringVersion(path: Path, name = path.modelName): Promise<number | string> {
  const rows = [{ carat: 0.5 }];
  const address = addressOf({ ...path, modelName: name });
  const response = await sendJson('POST', `${address}/predict`, rows);
  const answer: unknown = await response.json();
  const { price, type } = Object(Array.isArray(answer) ? answer[0] : answer);
  return response.status === 200 ? Math.floor(price / 1000) : type;
}

export async function listed(path: Path): Promise<Model[]> {
  const { data = [] } = await roster.GET(VERSIONS, { params: { path } });
  return data;
}

export const serve = (path: Path, version: number, headers = {}) =>
  roster.PUT(SERVING, { params: { path }, body: { serving: { version } }, headers });

export const remove = (path: Path, version: number, headers = {}) =>
  roster.DELETE(VERSION, { params: { path: { ...path, version: String(version) } }, headers });

/** Begins a training, by default of a table that keeps it busy for a while. */
export const begin = (path: Path, body = slowTable()) =>
  roster.PUT(ONE, {
    params: { path, query: { target: 'price', effort: 'fast' } },
    body,
    headers: { 'Content-Type': 'text/csv' },
  });

export const cancel = (path: Path, version: number) =>
  roster.DELETE(TRAINING, { params: { path: { ...path, version: String(version) } } });
