/** Tests of when and after how many attempts the client stops retrying. */
import { createRosterClient, type RetryOptions, type RosterClient, retry, timeout } from 'roster-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type FaultyProxy, openFaultyProxy } from '../../testkit/http/faulty-proxy.js';
import { badGateway, busy } from '../../testkit/http/foreign-answers.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';

let server: ServerProcess;
let proxy: FaultyProxy;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
});
beforeEach(async () => {
  proxy = await openFaultyProxy(server.url);
});
afterEach(async () => {
  await proxy.close();
});

const LATER = { 'Retry-After': '3600' };
const inAnHour = () => ({ 'Retry-After': new Date(Date.now() + 3_600_000).toUTCString() });

function persistent(options: RetryOptions = { delay: 1 }): RosterClient {
  const roster = createRosterClient({ baseUrl: proxy.url });
  roster.use(retry(options));
  return roster;
}

describe('retry stops', () => {
  test('after the configured number of attempts, with the last answer', async () => {
    proxy.next(badGateway, busy(), busy(), busy(), busy());
    const { error } = await persistent().GET('/projects');
    expect(error?.type).toBe('/problems/service-unavailable');
    expect(proxy.passed).toHaveLength(4);
  });

  test('after the configured number of attempts, with the last error', async () => {
    proxy.next('request lost', 'request lost', 'request lost');
    await expect(persistent({ delay: 1, attempts: 2 }).GET('/projects')).rejects.toThrow(TypeError);
    expect(proxy.passed).toHaveLength(2);
  });

  test.each([new Error('Network connection lost.'), new TypeError('fetch failed')])(
    'after the attempts, whatever the runtime throws: %s',
    async (lost) => {
      let sent = 0;
      const roster = createRosterClient({
        baseUrl: proxy.url,
        fetch: () => {
          sent += 1;
          return Promise.reject(lost);
        },
      });
      roster.use(retry({ delay: 1, attempts: 3 }));
      await expect(roster.GET('/projects')).rejects.toBe(lost);
      expect(sent).toBe(3);
    },
  );

  test('at the time limit, whatever the runtime throws when it is aborted', async () => {
    let sent = 0;
    const roster = createRosterClient({
      baseUrl: proxy.url,
      fetch: ({ signal }) => {
        sent += 1;
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('The operation was aborted')));
        });
      },
    });
    roster.use(timeout(20), retry({ delay: 1 }));
    await expect(roster.GET('/projects')).rejects.toMatchObject({ name: 'TimeoutError', ms: 20 });
    expect(sent).toBe(1);
  });

  test('with the last error, although an earlier attempt was answered', async () => {
    proxy.next(busy(), 'request lost');
    await expect(persistent({ delay: 1, attempts: 2 }).GET('/projects')).rejects.toThrow('fetch failed');
  });

  test.each([
    ['in seconds', () => LATER],
    ['by a date', inAnHour],
  ])('at once when the service asks, %s, for a longer wait than is left', async (_, headers) => {
    proxy.next(busy(headers()));
    const { error } = await persistent().GET('/projects');
    expect(error?.status).toBe(503);
    expect(proxy.passed).toHaveLength(1);
  });

  test('as soon as it is aborted, with the reason of the abort', async () => {
    const abort = new AbortController();
    const reason = new Error('The user has left the page');
    const roster = createRosterClient({
      baseUrl: proxy.url,
      fetch: async (request) => {
        const response = await fetch(request);
        setImmediate(() => abort.abort(reason));
        return response;
      },
    });
    roster.use(retry({ within: Number.POSITIVE_INFINITY }));
    proxy.next(busy(LATER));
    await expect(roster.GET('/projects', { signal: abort.signal })).rejects.toBe(reason);
    expect(proxy.passed).toHaveLength(1);
  });

  test.each<[string, (roster: RosterClient) => void]>([
    ['before', (roster) => roster.use(timeout(300), retry({ within: Number.POSITIVE_INFINITY }))],
    ['after', (roster) => roster.use(retry({ within: Number.POSITIVE_INFINITY }), timeout(300))],
  ])('when a timeout registered %s it has passed', async (_where, use) => {
    const roster = createRosterClient({ baseUrl: proxy.url });
    use(roster);
    proxy.next(busy(LATER));
    await expect(roster.GET('/projects')).rejects.toThrow('within 300 ms');
  });
});

describe('the delays of retry', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(Math, 'random').mockReturnValue(1);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  /** Returns when each request was sent, in milliseconds since the first, if every answer is 503. */
  async function timesOf(options: RetryOptions, headers = {}): Promise<number[]> {
    const times: number[] = [];
    const began = performance.now();
    const roster = createRosterClient({
      baseUrl: 'http://roster.example',
      fetch: async () => {
        times.push(performance.now() - began);
        return new Response('{"type":"/problems/service-unavailable"}', {
          status: 503,
          headers: { 'Content-Type': 'application/problem+json', ...headers },
        });
      },
    });
    roster.use(retry(options));
    const listing = roster.GET('/projects');
    await vi.runAllTimersAsync();
    expect((await listing).response.status).toBe(503);
    return times;
  }

  test('double up to a maximum, at their longest', async () => {
    const options = { attempts: 6, delay: 100, longestDelay: 500 };
    expect(await timesOf(options)).toEqual([0, 100, 300, 700, 1200, 1700]);
  });

  test('are drawn at random below that', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.25);
    expect(await timesOf({ attempts: 3, delay: 100 })).toEqual([0, 25, 75]);
  });

  test('follow the Retry-After header', async () => {
    expect(await timesOf({ attempts: 3 }, { 'Retry-After': '7' })).toEqual([0, 7_000, 14_000]);
  });

  test('end with the total time', async () => {
    const options = { attempts: 100, within: 20_000 };
    expect(await timesOf(options, { 'Retry-After': '7' })).toEqual([0, 7_000, 14_000]);
  });
});
