/** The types of requests, as the compiler checks them. This file is never run. */
import { describe, expectTypeOf, test } from 'vitest';
import { createRosterClient } from '../index.js';

const roster = createRosterClient({ baseUrl: 'http://127.0.0.1:4000' });
const project = { path: { project_name: 'default' } };
const skill = { path: { project_name: 'default', skill_name: 'sales_questions' } };
const agent = { path: { project_name: 'default', agent_name: 'analyst' } };
const model = { path: { projectName: 'default', modelName: 'diamond_prices' } };

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

  test('names in the address are text', () => {
    void roster.GET('/projects/{project_name}', {
      // @ts-expect-error: a name is a string
      params: { path: { project_name: 7 } },
    });
  });

  test('headers are those of the operation', () => {
    void roster.GET('/projects/{project_name}', { params: { ...project, header: { 'If-None-Match': '"a"' } } });
    void roster.GET('/projects/{project_name}', {
      // @ts-expect-error: a read has no 'Idempotency-Key'
      params: { ...project, header: { 'Idempotency-Key': 'a' } },
    });
    void roster.POST('/projects', {
      // @ts-expect-error: the header is called 'Idempotency-Key'
      params: { header: { 'Idempotence-Key': 'a' } },
      body: { project: { name: 'jewellery' } },
    });
  });

  test('an option that fetch does not know is a mistake', () => {
    // @ts-expect-error: it is called 'signal'
    void roster.GET('/projects', { abort: new AbortController().signal });
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

  test('a field of another type is a mistake', () => {
    void roster.POST('/projects/{project_name}/skills', {
      params: project,
      // @ts-expect-error: 'name' is a string
      body: { skill: { name: 7, type: 'sql' } },
    });
  });

  test('a missing body, or one where none belongs, is a mistake', () => {
    // @ts-expect-error: 'body' is missing
    void roster.POST('/projects', {});
    // @ts-expect-error: a GET has no body
    void roster.GET('/projects', { body: { project: { name: 'jewellery' } } });
  });

  test('fields that the service sets cannot be sent', () => {
    void roster.POST('/projects', {
      // @ts-expect-error: the service gives 'id'
      body: { project: { name: 'jewellery', id: '019a2f3c-7a10-7c3e-9b1d-2f6a4c5e8d01' } },
    });
    void roster.PUT('/projects/{project_name}/skills/{skill_name}', {
      params: skill,
      // @ts-expect-error: the service gives 'agent_ids'; skills are given to an agent
      body: { skill: { agent_ids: [] } },
    });
    void roster.PUT('/projects/{project_name}/agents/{agent_name}', {
      params: agent,
      // @ts-expect-error: the service gives 'updated_at'
      body: { agent: { updated_at: '2026-01-12T08:30:00.000Z' } },
    });
  });

  test('a creation has fields that an update has not, and the other way round', () => {
    void roster.PUT('/projects/{project_name}/agents/{agent_name}', {
      params: agent,
      body: { agent: { skills_to_add: ['sales_questions'], skills_to_remove: null } },
    });
    void roster.POST('/projects/{project_name}/agents', {
      params: project,
      // @ts-expect-error: a new agent has no skills yet that could be changed
      body: { agent: { name: 'analyst', skills_to_add: ['sales_questions'] } },
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
