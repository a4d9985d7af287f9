import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createRosterClient,
  type FileSource,
  type PredictFileOptions,
  ProblemError,
  predictFile,
  trainFile,
  UnexpectedAnswerError,
} from '../index.js';

const PATH = { projectName: 'default', modelName: 'prices' };
const ROWS = 'carat\n0.7\n';
const CLOSING = { type: '/problems/service-unavailable', title: 'Busy', status: 503, detail: '…' };

/** Returns a client whose requests get this answer, and are kept. */
function answering(body: BodyInit, contentType: string, status = 200) {
  const requests: Request[] = [];
  const roster = createRosterClient({
    baseUrl: 'http://roster.example',
    fetch: async (request) => {
      requests.push(request);
      return new Response(body, { status, headers: { 'Content-Type': contentType } });
    },
  });
  const predict = (file: FileSource, options?: PredictFileOptions) => predictFile(roster, PATH, file, options);
  return { roster, predict, requests };
}

function sentBy(requests: readonly Request[]): Request {
  const [request] = requests;
  if (!request) throw new Error('No request was sent');
  return request;
}

describe('the format of a file', () => {
  test.each([
    ['rows.csv', 'text/csv', null],
    ['ROWS.TSV', 'text/csv', null],
    ['rows.json', 'application/json', null],
    ['rows.jsonl', 'application/x-ndjson', null],
    ['rows.arrows', 'application/vnd.apache.arrow.stream', null],
    ['rows.feather', 'application/vnd.apache.arrow.file', null],
    ['rows.2026.parquet', 'application/vnd.apache.parquet', null],
    ['rows.csv.gz', 'text/csv', 'gzip'],
    ['rows.ndjson.zst', 'application/x-ndjson', 'zstd'],
  ])('is recognised by the name %s', async (name, mediaType, encoding) => {
    const { predict, requests } = answering('[]', 'application/json');
    await predict(new File([ROWS], name), { to: 'json' });
    const { headers } = sentBy(requests);
    expect(headers.get('Content-Type')).toBe(mediaType);
    expect(headers.get('Content-Encoding')).toBe(encoding);
  });

  test('is recognised by the type of a Blob if there is no name', async () => {
    const { predict, requests } = answering('', 'text/csv; charset=utf-8');
    await predict(new Blob([ROWS], { type: 'text/csv; charset=utf-8' }));
    expect(sentBy(requests).headers.get('Content-Type')).toBe('text/csv');
  });

  test.each([new File([ROWS], 'rows.xls'), new File([ROWS], 'csv'), new Blob([ROWS])])(
    'must be given if nothing determines it',
    async (file) => {
      const { predict, requests } = answering('', 'text/csv');
      await expect(predict(file)).rejects.toThrow("give it as { format: 'csv' }");
      expect(requests).toEqual([]);
    },
  );
});

describe('predictFile', () => {
  test('asks for the format of the file, and for JSON if that is Parquet', async () => {
    const csv = answering('', 'text/csv');
    expect(await csv.predict(new File([ROWS], 'rows.csv'))).toMatchObject({ format: 'csv' });
    expect(sentBy(csv.requests).headers.get('Accept')).toContain('text/csv');
    const json = answering('[]', 'application/json');
    expect(await json.predict(new File([ROWS], 'rows.parquet'))).toMatchObject({ format: 'json' });
  });

  test('sends its options as query parameters, and only those that are given', async () => {
    const { predict, requests } = answering('', 'text/csv');
    await predict(new File([ROWS], 'rows.csv'), {
      confidence: 0.8,
      unknown: 'refuse',
      explain: true,
      header: false,
      delimiter: 'semicolon',
    });
    await predict(new File([ROWS], 'rows.csv'));
    const queries = requests.map(({ url }) => Object.fromEntries(new URL(url).searchParams));
    expect(queries).toEqual([
      { confidence: '0.8', unknown: 'refuse', explain: 'true', header: 'false', delimiter: 'semicolon' },
      {},
    ]);
  });

  test.each<[string, () => FileSource]>([
    ['a Blob', () => new Blob([ROWS])],
    ['bytes', () => new TextEncoder().encode(ROWS)],
    ['a stream', () => new Blob([ROWS]).stream()],
  ])('sends %s unchanged, or compressed', async (_what, file) => {
    const { predict, requests } = answering('', 'text/csv');
    await predict(file(), { format: 'csv' });
    await predict(file(), { name: 'rows.csv', gzip: true });
    const [plain, gzip] = requests;
    expect(await plain?.text()).toBe(ROWS);
    expect(gzip?.headers.get('Content-Encoding')).toBe('gzip');
    const inflated = gzip?.body?.pipeThrough(new DecompressionStream('gzip'));
    expect(await new Response(inflated ?? null).text()).toBe(ROWS);
  });

  test('returns the warnings of JSON rows, and none of others', async () => {
    const json = answering('[]', 'application/json');
    const { warnings } = await json.predict(new File(['[]'], 'rows.json'));
    expect(warnings).toEqual({ warnings: [], more: 0 });
    const csv = answering('', 'text/csv');
    expect((await csv.predict(new File([ROWS], 'rows.csv'))).warnings).toBeUndefined();
  });

  test('throws a problem', async () => {
    const { predict } = answering(JSON.stringify(CLOSING), 'application/problem+json', 503);
    await expect(predict(new File([ROWS], 'rows.csv'))).rejects.toThrow(ProblemError);
  });

  test('passes the signal on', async () => {
    const { predict, requests } = answering('', 'text/csv');
    const abort = new AbortController();
    await predict(new File([ROWS], 'rows.csv'), { signal: abort.signal });
    abort.abort(new Error('The user has left the page'));
    expect(sentBy(requests).signal.reason).toBe(abort.signal.reason);
  });

  test('refuses an answer in another format', async () => {
    const { predict } = answering('<html>', 'text/html');
    await expect(predict(new File([ROWS], 'rows.csv'))).rejects.toThrow(UnexpectedAnswerError);
  });
});

describe('an answer in lines', () => {
  const line = fc.oneof(
    fc.constant('{"price":1}'),
    fc.constant(`{"problem":${JSON.stringify({ ...CLOSING, line: 2 })}}`),
    fc.constant('{"warnings":[],"more":0}'),
  );
  const closing = `{"problem":${JSON.stringify(CLOSING)}}`;

  /** Answers with a text in pieces of these sizes. */
  function inPieces(text: string, sizes: readonly number[]): ReadableStream<Uint8Array> {
    const bytes = new TextEncoder().encode(text);
    let at = 0;
    let piece = 0;
    return new ReadableStream({
      pull(controller) {
        if (at >= bytes.length) return controller.close();
        const size = sizes[piece++ % sizes.length] ?? 1;
        controller.enqueue(bytes.slice(at, at + size));
        at += size;
      },
    });
  }

  test('passes unchanged, and fails only if its last line is the problem that ended it', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.boolean(), sizes, async (lines, isCut, pieces) => {
        const text = [...lines, ...(isCut ? [closing] : [])].map((text) => `${text}\n`).join('');
        const { predict } = answering(inPieces(text, pieces), 'application/x-ndjson');
        const { body } = await predict(new File([''], 'rows.ndjson'));
        const read = new Response(body).text();
        if (isCut) await expect(read).rejects.toThrow(ProblemError);
        else expect(await read).toBe(text);
      }),
      { numRuns: 50 },
    );
  });
});

test('trainFile sends the target and the task, and returns the model', async () => {
  const model = JSON.stringify({ name: 'prices', status: 'training' });
  const { roster, requests } = answering(model, 'application/json', 202);
  const file = new File(['[]'], 'table.json');
  const trained = trainFile(roster, PATH, file, { target: 'sale price', task: 'classification' });
  expect(await trained).toMatchObject({ status: 'training' });
  const { method, url, headers } = sentBy(requests);
  expect(method).toBe('PUT');
  expect(headers.get('Content-Type')).toBe('application/json');
  expect(Object.fromEntries(new URL(url).searchParams)).toEqual({ target: 'sale price', task: 'classification' });
});

test('trainFile refuses onUpload where there is no XMLHttpRequest', async () => {
  const { roster, requests } = answering('{}', 'application/json', 202);
  const file = new File(['[]'], 'table.json');
  const training = trainFile(roster, PATH, file, { target: 'price', onUpload: () => {} });
  await expect(training).rejects.toThrow('onUpload needs XMLHttpRequest');
  expect(requests).toEqual([]);
});
