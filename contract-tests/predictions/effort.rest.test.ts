/** The effort of a training, against the server alone. */
import { answered, type Model } from 'roster-client';
import { beforeAll, expect, test } from 'vitest';
import { settled } from '../../testkit/service/train-prices.js';
import { ownProject, roster } from '../target.js';

const ONE = '/api/projects/{projectName}/models/{modelName}';
const TRAINING = '/api/projects/{projectName}/models/{modelName}/versions/{version}/training';

type Query = Partial<NonNullable<Parameters<typeof roster.PUT<typeof ONE>>[1]>['params']['query']>;

let projectName: string;
beforeAll(async () => {
  projectName = await ownProject();
});

const table = (count: number) =>
  Array.from({ length: count }, (_, row) => ({
    day: `2024-01-${String(1 + (row % 28)).padStart(2, '0')}`,
    x: (row * 37) % 101,
    kind: row % 3 === 0 ? 'a' : 'b',
    y: ((row * 37) % 101) * (1 + (row % 3)) + ((row * 7919) % 13),
  }));

function begin(modelName: string, query: Query, rows = table(60)) {
  return roster.PUT(ONE, {
    params: { path: { projectName, modelName }, query: { target: 'y', ...query } },
    body: rows,
  });
}

/** Trains; returns the model when its training has begun, and when it has ended. */
async function train(modelName: string, query: Query): Promise<readonly [begun: Model, ended: Model]> {
  const begun = await answered(begin(modelName, query));
  return [begun, await settled(roster, { projectName, modelName }, begun)];
}

test('a training has the effort that is asked for, the standard one without, and its model shows it', async () => {
  const efforts: readonly Pick<Query, 'effort'>[] = [{ effort: 'fast' }, { effort: 'best' }, {}];
  const checksums: (string | null)[] = [];
  for (const query of efforts) {
    const [begun, ended] = await train(`numbers_${query.effort ?? 'default'}`, query);
    for (const model of [begun, ended]) {
      expect(model).toMatchObject({ task: 'regression', effort: 'standard', ...query });
    }
    checksums.push(ended.checksum);
  }
  expect(new Set(checksums).size).toBe(3);
  const [, classes] = await train('classes', { effort: 'fast', target: 'kind' });
  expect(classes).toMatchObject({ task: 'classification', effort: 'fast', status: 'ready' });
});

test('a forecast has no effort, and refuses one', async () => {
  const { error } = await begin('refused', { effort: 'best', order_by: 'day', horizon: 3 });
  expect(error).toMatchObject({
    type: '/problems/invalid-request',
    errors: [{ pointer: '/query/effort', message: expect.stringContaining('is not for forecasts') }],
  });
  const { response } = await roster.GET(ONE, { params: { path: { projectName, modelName: 'refused' } } });
  expect(response.status).toBe(404);
});

test('a training with the best effort is cancelled in its middle, and the model is trained again', async () => {
  const modelName = 'cancelled';
  const path = { projectName, modelName };
  const [, first] = await train(modelName, { effort: 'fast' });
  await answered(begin(modelName, { effort: 'best' }, table(20_000)));
  const state = async () => answered(roster.GET(ONE, { params: { path } }));
  await expect.poll(async () => (await state()).progress, { timeout: 60_000 }).toBeGreaterThan(0.05);
  expect(await state()).toMatchObject({ status: 'training', effort: 'best', seconds_left: expect.any(Number) });
  const cancelled = await answered(roster.DELETE(TRAINING, { params: { path: { ...path, version: '2' } } }));
  expect(cancelled).toMatchObject({ status: 'failed', seconds_left: null, checksum: null, serving_version: 1 });
  const [begun, again] = await train(modelName, { effort: 'fast', exclude: ['day'] });
  expect(begun.version).toBe(3);
  expect(again).toMatchObject({ version: 3, status: 'ready', effort: 'fast', serving_version: 3 });
  expect(again.checksum).not.toBe(first.checksum);
});
