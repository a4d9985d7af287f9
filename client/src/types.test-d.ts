/** What the compiler tells a user of the client, held as a test: nothing here is ever run. */
import { describe, expectTypeOf, test } from 'vitest';
import {
  createRosterClient,
  type Model,
  type PredictionLine,
  type PredictionRow,
  type Problem,
  type ProblemOf,
  type ProblemType,
  type Skill,
} from './index.js';

const roster = createRosterClient({ baseUrl: 'http://127.0.0.1:4000' });
const project = { path: { project_name: 'default' } };
const skill = { path: { project_name: 'default', skill_name: 'sales_questions' } };
const model = { path: { projectName: 'default', modelName: 'diamond_prices' } };

describe('answers', () => {
  test('data is the resource once the error is ruled out', async () => {
    const { data, error } = await roster.GET('/projects/{project_name}/skills/{skill_name}', {
      params: skill,
    });
    if (error === undefined) {
      expectTypeOf(data).toEqualTypeOf<Skill>();
    }
  });

  test('data may be missing until then', async () => {
    const { data } = await roster.GET('/projects/{project_name}/skills', { params: project });
    // @ts-expect-error: 'data' is possibly 'undefined'
    data.length;
  });

  test('a prediction row has the fixed columns, and any column of the model', async () => {
    const { data } = await roster.POST('/api/projects/{projectName}/models/{modelName}/predict', {
      params: model,
      body: [{ carat: 0.7 }, null, 'anything'],
    });
    expectTypeOf(data?.[0]).toExtend<PredictionRow | undefined>();
    expectTypeOf(data?.[0]?.price).toBeUnknown();
  });

  test('a line of an answer without the fields of a row is a problem', () => {
    const line: PredictionLine = JSON.parse('{}');
    if (!('__service_row_id' in line) && 'line' in line.problem) {
      expectTypeOf(line.problem.type).toEqualTypeOf<'/problems/invalid-line'>();
      expectTypeOf(line.problem.line).toEqualTypeOf<number>();
    }
  });

  test('a model is training, ready or failed', () => {
    expectTypeOf<Model['status']>().toEqualTypeOf<'training' | 'ready' | 'failed'>();
  });
});

describe('problems', () => {
  test('the type of a problem narrows it to its own fields', async () => {
    const { error } = await roster.POST('/api/projects/{projectName}/models/{modelName}/predict', {
      params: model,
      body: [],
    });
    if (error?.type === '/problems/model-not-ready') {
      expectTypeOf(error.model_status).toEqualTypeOf<'training' | 'failed'>();
      expectTypeOf(error.status).toEqualTypeOf<409>();
    }
    if (error?.type === '/problems/invalid-request') {
      expectTypeOf(error.errors[0]?.pointer).toEqualTypeOf<string | undefined>();
    }
  });

  test('fields of one problem are not there before it is narrowed', async () => {
    const { error } = await roster.GET('/projects/{project_name}/skills/{skill_name}', {
      params: skill,
    });
    // @ts-expect-error: 'errors' exists on some problems only
    error?.errors;
    expectTypeOf(error?.detail).toEqualTypeOf<string | undefined>();
  });

  test('a problem that the operation never answers is a mistake', async () => {
    const { error } = await roster.GET('/projects/{project_name}/skills/{skill_name}', {
      params: skill,
    });
    // @ts-expect-error: getSkill does not answer 'agent-not-found'
    if (error?.type === '/problems/agent-not-found') {
      return;
    }
  });

  test('Problem and ProblemType know them all', () => {
    expectTypeOf<ProblemOf<'getSkill'>>().toExtend<Problem>();
    expectTypeOf<ProblemOf<'deleteProject'>['type']>().toEqualTypeOf<
      | '/problems/invalid-request'
      | '/problems/unauthorized'
      | '/problems/missing-scope'
      | '/problems/project-not-found'
      | '/problems/project-not-empty'
      | '/problems/precondition-failed'
      | '/problems/too-many-requests'
      | '/problems/internal-error'
      | '/problems/service-unavailable'
    >();
    expectTypeOf<'/problems/unusable-table'>().toExtend<ProblemType>();
    expectTypeOf<'/problems/teapot'>().not.toExtend<ProblemType>();
  });
});

describe('requests', () => {
  test('an address that the contract does not have is a mistake', () => {
    // @ts-expect-error: there is no such address
    void roster.GET('/projects/{project_name}/skill');
  });

  test('a method that an address does not have is a mistake', () => {
    // @ts-expect-error: skills are updated with PUT
    void roster.PATCH('/projects/{project_name}/skills/{skill_name}', { params: skill });
  });

  test('names in the address are named as in the contract', () => {
    void roster.GET('/projects/{project_name}/skills', {
      // @ts-expect-error: the parameter is called 'project_name'
      params: { path: { projectName: 'default' } },
    });
  });

  test('names in the address cannot be left out', () => {
    // @ts-expect-error: 'params' is missing
    void roster.GET('/projects/{project_name}/skills', {});
  });

  test('query parameters are typed', () => {
    void roster.GET('/projects/{project_name}/skills', {
      params: { ...project, query: { agent: ['analyst'], limit: 10 } },
    });
    void roster.GET('/projects/{project_name}/skills', {
      // @ts-expect-error: 'limit' is a number
      params: { ...project, query: { limit: '10' } },
    });
    void roster.GET('/projects/{project_name}/skills', {
      // @ts-expect-error: 'colour' is not a parameter of listSkills
      params: { ...project, query: { colour: 'red' } },
    });
  });

  test('the target of a training cannot be left out', () => {
    void roster.PUT('/api/projects/{projectName}/models/{modelName}', {
      // @ts-expect-error: 'query' with the target is missing
      params: model,
      body: [],
    });
  });
});

describe('bodies', () => {
  test('a field that is missing is a mistake', () => {
    void roster.POST('/projects/{project_name}/skills', {
      params: project,
      // @ts-expect-error: 'type' is missing
      body: { skill: { name: 'sales_questions' } },
    });
  });

  test('a field that is unknown is a mistake', () => {
    void roster.POST('/projects/{project_name}/skills', {
      params: project,
      // @ts-expect-error: a skill has no 'colour'
      body: { skill: { name: 'sales_questions', type: 'sql', colour: 'red' } },
    });
  });

  test('a body that is not wrapped in its resource is a mistake', () => {
    void roster.POST('/projects', {
      // @ts-expect-error: the body is { project: { name } }
      body: { name: 'jewellery' },
    });
  });

  test('params are free, and null removes a key', () => {
    void roster.PUT('/projects/{project_name}/skills/{skill_name}', {
      params: skill,
      body: { skill: { params: { database: 'sales_2026', tables: null } } },
    });
  });

  test('skills are given by name, by identifier or as they were read', async () => {
    const { data = [] } = await roster.GET('/projects/{project_name}/skills', { params: project });
    void roster.POST('/projects/{project_name}/agents', {
      params: project,
      body: { agent: { name: 'analyst', skills: ['sales_questions', ...data] } },
    });
  });

  test('rows to predict are an array, or lines as text, Blob or stream, answered by a stream', async () => {
    const headers = { 'Content-Type': 'application/x-ndjson', Accept: 'application/x-ndjson' };
    const path = '/api/projects/{projectName}/models/{modelName}/predict';
    void roster.POST(path, { params: model, headers, body: '{"carat":0.7}\n' });
    void roster.POST(path, { params: model, headers, body: new Blob([]) });
    const { data } = await roster.POST(path, {
      params: model,
      headers,
      body: new Blob([]).stream(),
      parseAs: 'stream',
    });
    expectTypeOf(data).toEqualTypeOf<ReadableStream<Uint8Array<ArrayBuffer>> | null | undefined>();
    // @ts-expect-error: rows are not a number
    void roster.POST(path, { params: model, headers, body: 7 });
  });

  test('a table is rows, or CSV as text, Blob or stream', () => {
    const training = { ...model, query: { target: 'price' } };
    const headers = { 'Content-Type': 'text/csv' };
    const path = '/api/projects/{projectName}/models/{modelName}';
    void roster.PUT(path, { params: training, body: [{ carat: 0.23, price: 326 }] });
    void roster.PUT(path, { params: training, headers, body: 'carat,price\n0.23,326\n' });
    void roster.PUT(path, { params: training, headers, body: new Blob(['carat,price\n']) });
    void roster.PUT(path, { params: training, headers, body: new Blob([]).stream() });
    // @ts-expect-error: a table is not a number
    void roster.PUT(path, { params: training, headers, body: 42 });
  });
});
