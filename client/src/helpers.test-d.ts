/** The types of the client's middleware and helpers. This file is never run. */
import { describe, expectTypeOf, test } from 'vitest';
import {
  type AgentEvent,
  agentEvents,
  answered,
  apiKey,
  createRosterClient,
  idempotencyKeys,
  items,
  type Model,
  type Problem,
  ProblemError,
  type Project,
  pages,
  predictFile,
  retry,
  type Skill,
  TrainingFailedError,
  timeout,
  trainFile,
  untilReady,
} from './index.js';

const roster = createRosterClient({ baseUrl: 'http://127.0.0.1:4000' });
const path = { project_name: 'default' };
const model = { projectName: 'default', modelName: 'diamond_prices' };

describe('middleware', () => {
  test('is passed to use, one or several at once', () => {
    roster.use(timeout(5_000), apiKey('roster_'), idempotencyKeys(), retry());
    roster.use(apiKey(async () => undefined));
    roster.use(retry({ attempts: 2, within: 1_000, delay: 10, longestDelay: 100 }));
  });

  test('has its own options', () => {
    // @ts-expect-error: it is called 'attempts'
    retry({ tries: 2 });
    // @ts-expect-error: a timeout is a number of milliseconds
    timeout('5 s');
    // @ts-expect-error: a timeout requires a duration
    timeout();
    // @ts-expect-error: a key is a string
    apiKey(() => 7);
  });
});

describe('paging', () => {
  test('gives the resources of the list', async () => {
    const list = items((query) => roster.GET('/projects/{project_name}/skills', { params: { path, query } }));
    for await (const skill of list) expectTypeOf(skill).toEqualTypeOf<Skill>();
    for await (const page of pages((query) => roster.GET('/projects', { params: { query } }))) {
      expectTypeOf(page).toEqualTypeOf<Project[]>();
    }
  });

  test('takes the other parameters of the list, and only those', () => {
    items((query) =>
      roster.GET('/projects/{project_name}/skills', { params: { path, query: { agent: ['analyst'], ...query } } }),
    );
    items((query) =>
      roster.GET('/projects/{project_name}/agents', {
        // @ts-expect-error: 'agent' is a parameter of listSkills
        params: { path, query: { agent: ['analyst'], ...query } },
      }),
    );
  });

  test('is for lists', () => {
    // @ts-expect-error: a project is not a list
    items(() => roster.GET('/projects/{project_name}', { params: { path } }));
    items((query) =>
      // @ts-expect-error: getProject has no pages
      roster.GET('/projects/{project_name}', { params: { path, query } }),
    );
  });
});

describe('waiting', () => {
  test('gives a model, and shows one on the way', async () => {
    const onProgress = ({ progress }: Model) => progress;
    expectTypeOf(await untilReady(roster, model, { onProgress })).toEqualTypeOf<Model>();
  });

  test('is for a model, by its names', () => {
    // @ts-expect-error: 'modelName' is missing
    void untilReady(roster, { projectName: 'default' });
    // @ts-expect-error: 'every' is a number of milliseconds
    void untilReady(roster, model, { every: '1 s' });
  });
});

describe('streamed answers', () => {
  const MESSAGES = '/projects/{project_name}/chatbots/{chatbot_name}/conversations/{conversation_id}/messages';
  const conversation = { ...path, chatbot_name: 'help_desk', conversation_id: 'id' };
  const body = { message: { content: 'How do I clean my ring?' } };

  test('have the events of the contract, distinguished by their fields', async () => {
    const events = agentEvents((streamed) =>
      roster.POST(MESSAGES, { ...streamed, params: { path: conversation }, body }),
    );
    for await (const event of events) {
      expectTypeOf(event).toEqualTypeOf<AgentEvent>();
      if ('output' in event) expectTypeOf(event.usage.requests).toBeNumber();
      else if ('type' in event && event.type === 'start')
        expectTypeOf(event.message_id).toEqualTypeOf<string | undefined>();
    }
  });

  test('are asked for', () => {
    // @ts-expect-error: without `streamed`, the answer is one JSON document
    agentEvents(() => roster.POST(MESSAGES, { params: { path: conversation }, body }));
    agentEvents((streamed) =>
      // @ts-expect-error: 'message' is missing
      roster.POST(MESSAGES, { ...streamed, params: { path: conversation }, body: {} }),
    );
  });
});

describe('what is thrown', () => {
  test('carries what it is about', () => {
    void ((thrown: unknown) => {
      if (thrown instanceof ProblemError) expectTypeOf(thrown.problem).toEqualTypeOf<Problem>();
      if (thrown instanceof TrainingFailedError) {
        expectTypeOf(thrown.failure).toBeString();
        expectTypeOf(thrown.model).toEqualTypeOf<Model>();
      }
    });
  });

  test('leaves the data alone', async () => {
    const params = { path: { ...path, skill_name: 'sales_questions' } };
    const call = roster.GET('/projects/{project_name}/skills/{skill_name}', { params });
    expectTypeOf(await answered(call)).toEqualTypeOf<Skill>();
  });
});

describe('files', () => {
  test('are Blobs, streams or bytes, with options of the format', async () => {
    const file = new File([], 'rows.csv');
    expectTypeOf(await trainFile(roster, model, file, { target: 'price' })).toEqualTypeOf<Model>();
    const { body } = await predictFile(roster, model, file.stream(), { format: 'csv', to: 'json' });
    expectTypeOf(body).toEqualTypeOf<ReadableStream<Uint8Array>>();
    await predictFile(roster, model, new Uint8Array(), { format: 'parquet', signal: undefined });
    // @ts-expect-error: Parquet is not answered
    await predictFile(roster, model, file, { to: 'parquet' });
    // @ts-expect-error: a training requires a target
    await trainFile(roster, model, file, {});
  });
});
