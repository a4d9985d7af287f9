/** The types of replies, as the compiler checks them. This file is never run. */
import { describe, expectTypeOf, test } from 'vitest';
import {
  type Agent,
  createRosterClient,
  type Model,
  type PredictionLine,
  type PredictionRow,
  type Problem,
  type ProblemOf,
  type ProblemType,
  type RowWarning,
  rowWarnings,
  type Skill,
} from '../index.js';

const roster = createRosterClient({ baseUrl: 'http://127.0.0.1:4000' });
const project = { path: { project_name: 'default' } };
const skill = { path: { project_name: 'default', skill_name: 'sales_questions' } };
const model = { path: { projectName: 'default', modelName: 'diamond_prices' } };

describe('answers', () => {
  test('data is the resource once the error is ruled out', async () => {
    const { data, error } = await roster.GET('/projects/{project_name}/skills/{skill_name}', { params: skill });
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

  test('fields that are only sent cannot be read', () => {
    expectTypeOf<Agent>().not.toHaveProperty('skills_to_add');
    expectTypeOf<Agent['skills']>().toEqualTypeOf<Skill[]>();
  });

  test('nullable fields must be checked', () => {
    expectTypeOf<Model['failure']>().toEqualTypeOf<string | null>();
    expectTypeOf<Model['serving_version']>().toEqualTypeOf<number | null>();
    // @ts-expect-error: 'columns' is possibly 'null'
    void (({ columns }: Model) => columns.length);
  });

  test('parseAs determines the type: text, a Blob or a stream', async () => {
    const { data } = await roster.GET('/projects', { parseAs: 'text' });
    expectTypeOf(data).toEqualTypeOf<string | undefined>();
  });

  test('a deletion has no data', async () => {
    const { data } = await roster.DELETE('/projects/{project_name}', { params: project });
    expectTypeOf(data).toEqualTypeOf<undefined>();
  });

  test('a line of an answer without the fields of a row is a problem, or has the warnings', () => {
    const line: PredictionLine = JSON.parse('{}');
    if ('__service_row_id' in line) return;
    if ('warnings' in line) {
      expectTypeOf(line.warnings).toEqualTypeOf<RowWarning[]>();
      expectTypeOf(line.more).toEqualTypeOf<number>();
    } else if ('line' in line.problem) {
      expectTypeOf(line.problem.line).toEqualTypeOf<number>();
    }
  });

  test('the kind of a warning is one of six', () => {
    expectTypeOf(rowWarnings(new Response()).warnings).toEqualTypeOf<RowWarning[]>();
    expectTypeOf<RowWarning['kind']>().toEqualTypeOf<
      'no-column' | 'unknown-name' | 'unreadable' | 'out-of-range' | 'new-category' | 'missing-known'
    >();
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
    const { error } = await roster.GET('/projects/{project_name}/skills/{skill_name}', { params: skill });
    // @ts-expect-error: 'errors' exists on some problems only
    error?.errors;
    expectTypeOf(error?.detail).toEqualTypeOf<string | undefined>();
  });

  test('a problem that the operation never answers is a mistake', async () => {
    const { error } = await roster.GET('/projects/{project_name}/skills/{skill_name}', { params: skill });
    // @ts-expect-error: getSkill does not answer 'agent-not-found'
    if (error?.type === '/problems/agent-not-found') {
      return;
    }
  });

  test('a switch over each problem of an operation is exhaustive', () => {
    void ((problem: Exclude<ProblemOf<'deleteProject'>, { status: 400 | 401 | 403 | 429 }>) => {
      switch (problem.type) {
        case '/problems/project-not-found':
        case '/problems/project-not-empty':
        case '/problems/precondition-failed':
        case '/problems/internal-error':
          return;
        default:
          expectTypeOf(problem.type).toEqualTypeOf<'/problems/service-unavailable'>();
      }
    });
  });

  test('the status of a problem goes with its type', async () => {
    const { error } = await roster.GET('/projects');
    if (error?.status === 429) {
      expectTypeOf(error.type).toEqualTypeOf<'/problems/too-many-requests'>();
    }
    // @ts-expect-error: an unusable table has 'line' and 'column', not 'pointer'
    void ((problem: Problem & { type: '/problems/unusable-table' }) => problem.errors[0]?.pointer);
  });

  test('Problem and ProblemType include all problems', () => {
    expectTypeOf<ProblemOf<'getSkill'>>().toExtend<Problem>();
    expectTypeOf<ProblemOf<'deleteProject'>['type']>().toEqualTypeOf<
      | '/problems/invalid-request'
      | '/problems/unauthorized'
      | '/problems/missing-scope'
      | '/problems/other-origin'
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
