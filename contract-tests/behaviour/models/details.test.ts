/** The name and the description of a model, and what refers to it by name. Against the server alone. */
import { answered } from 'roster-client';
import { beforeEach, describe, expect, test } from 'vitest';
import { fewDiamonds, slowTable } from '../../../testkit/data/diamonds.js';
import { putPrices, settled, trainPrices } from '../../../testkit/service/train-prices.js';
import { addTruths, listIds, predictRows } from '../../formats/promised-rows.js';
import { ownProject, roster, sendJson } from '../../target.js';

const ONE = '/api/projects/{projectName}/models/{modelName}';
const DETAILS = '/api/projects/{projectName}/models/{modelName}/details';
const SKILL = '/projects/{project_name}/skills/{skill_name}';

let project: string;
beforeEach(async () => {
  project = await ownProject();
});

const pathOf = (modelName: string) => ({ projectName: project, modelName });
const find = (name: string) => roster.GET(ONE, { params: { path: pathOf(name) } });

/** Changes the details of a model. @returns the model, or the type of the problem */
async function change(name: string, model: { name?: string | null; description?: string | null }, headers = {}) {
  const { data, error, response } = await roster.PUT(DETAILS, {
    params: { path: pathOf(name) },
    body: { model },
    headers,
  });
  return { model: data, problem: error?.type, etag: response.headers.get('ETag') };
}

async function skillOf(name: string) {
  return answered(roster.GET(SKILL, { params: { path: { project_name: project, skill_name: name } } }));
}

async function createSkill(name: string, type: string, params: Record<string, unknown>) {
  const path = { project_name: project };
  const body = { skill: { name, type, params } };
  await answered(roster.POST('/projects/{project_name}/skills', { params: { path }, body }));
}

describe('a description', () => {
  test('is kept, shown in lists and by all versions, and removed by null', async () => {
    await trainPrices(roster, pathOf('prices'));
    const described = await change('prices', { description: 'Prices “now”\nand then' });
    expect(described.model).toMatchObject({ name: 'prices', description: 'Prices “now”\nand then', version: 1 });
    const { data, response } = await find('prices');
    expect(data).toEqual(described.model);
    expect(response.headers.get('ETag')).toBe(described.etag);
    const listed = await answered(
      roster.GET('/api/projects/{projectName}/models', { params: { path: { projectName: project } } }),
    );
    expect(listed.map(({ description }) => description)).toEqual(['Prices “now”\nand then']);
    expect((await change('prices', { name: null })).model).toEqual(described.model);
    expect((await change('prices', { description: null })).model).toMatchObject({ name: 'prices', description: null });
  });

  test('and a name are refused that no model may have', async () => {
    await putPrices(roster, pathOf('prices'), fewDiamonds);
    for (const name of ['', 'a b', '.hidden', 'ä', 'n'.repeat(101), '019a2f40-3e40-7d7e-a051-8daf2e4b6c01']) {
      expect(await change('prices', { name })).toMatchObject({ problem: '/problems/invalid-request' });
    }
    expect(await change('prices', { description: 'd'.repeat(1001) })).toMatchObject({
      problem: '/problems/invalid-request',
    });
    expect(await change('cheap', { description: 'd' })).toMatchObject({ problem: '/problems/model-not-found' });
    expect((await find('prices')).data).toMatchObject({ name: 'prices', description: null });
  });
});

describe('a rename', () => {
  test('keeps the model, and leads the skills that name it to the new name', async () => {
    const trained = await trainPrices(roster, pathOf('prices'));
    await createSkill('estimate', 'model', { model: 'prices', version: 1, own: ['prices'] });
    await createSkill('note', 'lookup', { model: 'prices' });
    await createSkill('words', 'retrieval', { source: 'prices' });
    const rows = [{ carat: 0.5 }];
    const address = (name: string) => `/api/projects/${project}/models/${name}`;
    const ids = listIds(await predictRows(address('prices'), 'remember=true', rows));

    const { model } = await change('prices', { name: 'prices_2025' });
    expect(model).toEqual({ ...trained, name: 'prices_2025' });
    expect((await find('prices')).error?.type).toBe('/problems/model-not-found');
    expect((await sendJson('POST', `${address('prices')}/predict`, rows)).status).toBe(404);
    expect((await sendJson('POST', `${address('prices_2025')}/predict`, rows)).status).toBe(200);

    expect((await skillOf('estimate')).params).toEqual({ model: 'prices_2025', version: 1, own: ['prices'] });
    expect((await skillOf('note')).params).toEqual({ model: 'prices' });
    expect((await skillOf('words')).params).toEqual({ source: 'prices' });

    const truths = ids.map((__service_row_id) => ({ __service_row_id, price: 1 }));
    expect(await addTruths(address('prices_2025'), truths)).toMatchObject({ matched: 1 });

    // The former name is free.
    expect((await trainPrices(roster, pathOf('prices'))).id).not.toBe(trained.id);
    expect((await find('prices_2025')).data?.id).toBe(trained.id);
  });

  test('is refused for a name that another model has, and from a state that If-Match does not name', async () => {
    for (const name of ['first', 'second']) await putPrices(roster, pathOf(name), fewDiamonds);
    expect((await change('first', { name: 'second' })).problem).toBe('/problems/name-taken');
    expect((await change('first', { name: 'first' })).model).toMatchObject({ name: 'first' });
    await settled(roster, pathOf('first'));
    const { response } = await find('first');
    const known = { 'If-Match': response.headers.get('ETag') ?? '' };
    expect((await change('first', { name: 'third' }, known)).model).toMatchObject({ name: 'third' });
    expect((await change('third', { name: 'fourth' }, known)).problem).toBe('/problems/precondition-failed');
  });

  test('leaves a training that runs', async () => {
    await answered(putPrices(roster, pathOf('slow'), slowTable()));
    expect((await change('slow', { name: 'renamed' })).model).toMatchObject({ name: 'renamed', version: 1 });
    const { data } = await roster.DELETE(`${ONE}/versions/{version}/training`, {
      params: { path: { ...pathOf('renamed'), version: '1' } },
    });
    expect(data).toMatchObject({ name: 'renamed', status: 'failed' });
    await answered(putPrices(roster, pathOf('quick'), fewDiamonds));
    await change('quick', { name: 'ready' });
    expect(await settled(roster, pathOf('ready'))).toMatchObject({
      name: 'ready',
      status: 'ready',
      serving_version: 1,
    });
  });

  test('happens once if two ask at once', async () => {
    for (const name of ['first', 'second']) await putPrices(roster, pathOf(name), fewDiamonds);
    const outcomes = await Promise.all([change('first', { name: 'taken' }), change('second', { name: 'taken' })]);
    expect(outcomes.map(({ problem }) => problem).toSorted()).toEqual(['/problems/name-taken', undefined]);
    const [left] = ['first', 'second'].filter((_, index) => outcomes[index]?.problem !== undefined);
    const both = await Promise.all([change(`${left}`, { name: 'one' }), change(`${left}`, { name: 'other' })]);
    expect(both.map(({ problem }) => problem).toSorted()).toEqual(['/problems/model-not-found', undefined]);
  });
});
