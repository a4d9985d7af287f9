/** Models of a test file that are trained, asked to remember their rows, and given the true values. */
import { answered, type Model } from 'roster-client';
import { seededRandom } from 'roster-prediction/internals';
import { beforeAll, expect } from 'vitest';
import { settled } from '../../../testkit/service/train-prices.js';
import { ownProject, roster } from '../../target.js';

export const MODEL = '/api/projects/{projectName}/models/{modelName}';
export const PREDICT = '/api/projects/{projectName}/models/{modelName}/predict';
export const ACTUALS = '/api/projects/{projectName}/models/{modelName}/actuals';
export const RECORD = '/api/projects/{projectName}/models/{modelName}/record';
export const SERVING = '/api/projects/{projectName}/models/{modelName}/serving';

export type Row = Record<string, unknown>;

/** Rows of a target that follows from `x` and `kind`, with noise of a size; `seed` distinguishes tables. */
export function makeRows(count: number, seed: number, noise: number, target: (y: number) => unknown): Row[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => {
    const x = 10 * random();
    const kind = random() < 0.5 ? 'plain' : '=fancy';
    return { x, kind, y: target(3 * x + noise * (random() + random() + random() - 1.5)) };
  });
}

export const asNumber = (y: number) => y;
export const asClass = (y: number) => (y < 15 ? 'low' : 'high');

/** The models of one project, which is created before the tests of the file. */
export function recordedModels() {
  let projectName: string;
  beforeAll(async () => {
    projectName = await ownProject();
  });
  const pathOf = (modelName: string) => ({ projectName, modelName });
  return {
    pathOf,

    async trainOn(name: string, body: Row[]): Promise<Model> {
      const params = { path: pathOf(name), query: { target: 'y', effort: 'fast' as const } };
      return settled(roster, params.path, await answered(roster.PUT(MODEL, { params, body })));
    },

    /** Predicts rows at .9, remembers them, and adds their true values. Returns the answer and its calibration. */
    async promise(name: string, rows: Row[]) {
      const params = { path: pathOf(name), query: { remember: true, confidence: 0.9 } };
      const asked = rows.map(({ x, kind }) => ({ x, kind }));
      const { data = [], response } = await roster.POST(PREDICT, { params, body: asked });
      const body = rows.map(({ y }, at) => {
        return { __service_row_id: String(data[at]?.['__service_row_id']), y: String(y) };
      });
      const added = await answered(roster.POST(ACTUALS, { params: { path: pathOf(name) }, body }));
      expect(added.matched).toBe(rows.length);
      return { data, calibration: response.headers.get('Model-Calibration') };
    },

    recordOf(name: string, query: Record<string, string | number> = {}) {
      return answered(roster.GET(RECORD, { params: { path: pathOf(name), query } }));
    },
  };
}
