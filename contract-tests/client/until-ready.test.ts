/** Tests of waiting for a model of the real server with the client. */
import {
  createRosterClient,
  type Model,
  ProblemError,
  type RosterClient,
  TrainingFailedError,
  untilReady,
} from 'roster-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { slowTable, someDiamonds } from '../../testkit/data/diamonds.js';
import { operations } from '../../testkit/openapi/document.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { putPrices } from '../../testkit/service/train-prices.js';

let server: ServerProcess;
let roster: RosterClient;
beforeAll(async () => {
  server = await startServer();
  roster = createRosterClient({ baseUrl: server.url });
});
afterAll(async () => {
  await server.stop();
});

async function train(modelName: string, csv: string) {
  const path = { projectName: 'default', modelName };
  const { error } = await putPrices(roster, path, csv);
  expect(error).toBeUndefined();
  return path;
}

describe('untilReady on the real server', () => {
  test('returns the model when it is ready, and reports the progress until then', async () => {
    const seen: Model[] = [];
    const path = await train('prices', someDiamonds(1000));
    const model = await untilReady(roster, path, { onProgress: (at) => seen.push(at), every: 50 });
    expect(model).toMatchObject({ name: 'prices', status: 'ready', serving_version: 1 });
    // The training may finish just before the model is ready; the progress is then reported at the end.
    expect(seen.at(-1)).toMatchObject({ version: 1, progress: 1 });
    const progress = seen.map((at) => at.progress);
    expect(progress).toEqual([...new Set(progress)].sort((a, b) => a - b));
    expect(progress.at(-1)).toBe(1);
  });

  test('waits for the newest version while the previous one answers', async () => {
    const path = await train('versions', someDiamonds(100));
    await untilReady(roster, path, { every: 50 });
    await train('versions', someDiamonds(200));
    const model = await untilReady(roster, path, { every: 50 });
    expect(model).toMatchObject({ version: 2, status: 'ready', serving_version: 2 });
  });

  test('rejects at once when it is aborted, and the training goes on', async () => {
    const path = await train('slow', slowTable());
    const abort = new AbortController();
    const reason = new Error('The user has left the page');
    const waiting = untilReady(roster, path, {
      onProgress: () => setImmediate(() => abort.abort(reason)),
      signal: abort.signal,
      every: 3_600_000,
    });
    await expect(waiting).rejects.toBe(reason);
    const { data } = await roster.GET('/api/projects/{projectName}/models/{modelName}', { params: { path } });
    expect(data?.status).toBe('training');
    await roster.DELETE('/api/projects/{projectName}/models/{modelName}', { params: { path } });
  });

  test('stops waiting for a model that was deleted meanwhile', async () => {
    const path = await train('gone', slowTable());
    const waiting = untilReady(roster, path, {
      onProgress: () => void roster.DELETE('/api/projects/{projectName}/models/{modelName}', { params: { path } }),
      every: 50,
    });
    const thrown: unknown = await waiting.catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(ProblemError);
    expect(thrown).toMatchObject({ problem: { type: '/problems/model-not-found' } });
  });
});

test('untilReady throws when the training fails, with the reason and the model', async () => {
  const example = operations
    .find(({ id }) => id === 'getModel')
    ?.place.at('responses', '200', 'content', 'application/json', 'examples', 'failed', 'value');
  const client = createRosterClient({
    baseUrl: 'http://roster.example',
    fetch: async () => Response.json(example?.value),
  });
  const path = { projectName: 'default', modelName: 'diamond_prices' };
  const thrown: unknown = await untilReady(client, path).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(TrainingFailedError);
  expect(thrown).toMatchObject({
    failure: 'The training ran out of memory; send a smaller table.',
    model: { status: 'failed', serving_version: 1 },
  });
});

describe('untilReady by the clock', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const path = { projectName: 'default', modelName: 'diamond_prices' };

  /** Returns a client that gets the answers in turn, and the last one again and again. */
  function answering(...answers: { status: number; body: object; retryAfter?: string }[]) {
    let asked = 0;
    const client = createRosterClient({
      baseUrl: 'http://roster.example',
      fetch: async () => {
        const { status, body, retryAfter } = answers[Math.min(asked, answers.length - 1)] ?? never();
        asked += 1;
        return Response.json(body, {
          status,
          headers: {
            ...(retryAfter && { 'Retry-After': retryAfter }),
            ...(status !== 200 && { 'Content-Type': 'application/problem+json' }),
          },
        });
      },
    });
    return { client, asked: () => asked };
  }
  const training = { status: 200, body: { status: 'training', version: 1, progress: 0.5 } };
  const ready = { status: 200, body: { status: 'ready', version: 1, progress: 1 } };
  const busy = { type: '/problems/service-unavailable', status: 503, title: '', detail: '' };

  test.each([
    ['every half second by default', {}, undefined, 500],
    ['at the given interval', { every: 2_000 }, undefined, 2_000],
    ['with a pause even if the interval is 0', { every: 0 }, undefined, 50],
    ['no sooner than Retry-After says', { every: 100 }, '7', 7_000],
    ['at the given interval if Retry-After is shorter', { every: 100 }, '0', 100],
  ])('polls %s', async (_how, options, retryAfter, pause) => {
    const asking = { ...training, ...(retryAfter && { retryAfter }) };
    const { client, asked } = answering(asking, asking, ready);
    const waiting = untilReady(client, path, options);
    await vi.advanceTimersByTimeAsync(pause - 1);
    expect(asked()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked()).toBe(2);
    await vi.advanceTimersByTimeAsync(pause);
    expect(await waiting).toEqual(ready.body);
  });

  test.each([
    [429, '/problems/too-many-requests'],
    [503, '/problems/service-unavailable'],
  ])('waits after an answer of %d as long as it asks', async (status, type) => {
    const { client, asked } = answering(training, { status, body: { ...busy, type, status }, retryAfter: '30' }, ready);
    const waiting = untilReady(client, path);
    await vi.advanceTimersByTimeAsync(500 + 29_999);
    expect(asked()).toBe(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(await waiting).toEqual(ready.body);
  });

  test('reports progress when there is some', async () => {
    const { client } = answering(training, training, training, ready);
    const reported: number[] = [];
    const waiting = untilReady(client, path, { onProgress: ({ progress }) => reported.push(progress) });
    await vi.advanceTimersByTimeAsync(1_500);
    await waiting;
    expect(reported).toEqual([0.5, 1]);
  });
});

function never(): never {
  throw new Error('There is no answer to give');
}
