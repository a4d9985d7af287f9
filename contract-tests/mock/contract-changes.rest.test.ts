/** Tests that the mock follows its contract, and survives a faulty one. */
import { mkdtemp, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Child } from '../../testkit/service/child-process.js';
import { startMock } from '../targets/start-mock.js';

/** A contract with one operation, which answers with the name of a pen. */
const contract = (name: string) => `openapi: 3.1.0
info: { title: Pens, version: 1.0.0 }
paths:
  /pen:
    get:
      operationId: getPen
      security: []
      responses:
        '200':
          description: The pen.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Pen' }
              examples:
                pen: { summary: A pen, value: { name: ${name} } }
components:
  schemas:
    Pen:
      type: object
      description: A pen.
      properties: { name: { type: string } }
`;

const GOOD = contract('pelican');

/** Faulty contracts, with what is printed about each. */
const FAULTS = {
  'a half-saved file': {
    text: `${GOOD.slice(0, GOOD.indexOf('operationId'))}operationId: [`,
    message: /openapi\.yaml:6:\d+: this is not YAML: /,
  },
  'an empty file': { text: '', message: /openapi\.yaml:1:1: / },
  'a wrong reference': {
    text: GOOD.replace('schemas/Pen', 'schemas/Pencil'),
    message: /openapi\.yaml:13:31: \$ref .*Pencil leads to nothing; correct the name, or add what it refers to/,
  },
  'an example that is invalid': {
    text: contract('5'),
    message: /openapi\.yaml:15:55: the example breaks its schema: must be string/,
  },
};

let folder: string;
let file: string;
let mock: Child & { url: string };
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roster-mock-'));
  file = join(folder, 'openapi.yaml');
  await writeFile(file, GOOD);
  mock = await startMock(folder);
});
afterAll(async () => {
  await mock.stop();
  await rm(folder, { recursive: true });
});

/** The contract that a test begins with. Its name is of no other test: the answer shows that the mock has read it. */
let good: string;
let name: string;
let tests = 0;
beforeEach(async () => {
  tests += 1;
  name = `pelican_${tests}`;
  good = contract(name);
  // A write empties the file first. On a busy machine that is seen, and reported, before the text is there.
  await change(write(good), /: the mock answers with it\./);
  await expect.poll(pen).toEqual({ name });
});

/** Changes the contract, and waits until the mock has printed what is expected of it. */
async function change(act: () => Promise<void>, ...expected: RegExp[]): Promise<void> {
  const before = mock.log.length;
  await act();
  for (const lines of expected) {
    await expect.poll(() => mock.log.slice(before).join('\n')).toMatch(lines);
  }
}

const write = (text: string) => () => writeFile(file, text);
const FAULTY = /The mock still answers with the contract as it was before\./;
const MENDED = /openapi\.yaml is valid again: the mock answers with it\./;

async function pen(): Promise<unknown> {
  return (await fetch(`${mock.url}/pen`)).json();
}

test('it answers with a contract that takes the place of another', async () => {
  const draft = join(folder, 'draft.yaml');
  await writeFile(draft, contract('quill'));
  await change(() => rename(draft, file), /openapi\.yaml has changed: the mock answers with it\./);
  expect(await pen()).toEqual({ name: 'quill' });
});

test.each(Object.entries(FAULTS))(
  '%s is reported with its place, and the last good contract still answers',
  async (_, { text, message }) => {
    await change(write(text), message, FAULTY);
    expect(await pen()).toEqual({ name });
    await change(write(good), MENDED);
  },
);

test('a deleted file is reported, and the last good contract still answers', async () => {
  await change(() => unlink(file), /openapi\.yaml cannot be read: .*no such file/, FAULTY);
  expect(await pen()).toEqual({ name });
  await change(write(good), MENDED);
});

test('it does not start with a faulty contract, nor without one, and says why', async () => {
  const other = await mkdtemp(join(tmpdir(), 'roster-mock-'));
  try {
    await expect(startMock(other)).rejects.toThrow(
      /ended with 1:\nThe mock did not start: openapi\.yaml cannot be read: .*$/,
    );
    await writeFile(join(other, 'openapi.yaml'), FAULTS['a wrong reference'].text);
    await expect(startMock(other)).rejects.toThrow(
      /ended with 1:\nThe mock did not start: openapi\.yaml:13:31: .*add what it refers to$/,
    );
  } finally {
    await rm(other, { recursive: true });
  }
});

test('it does not start on a port in use, and says so in one line', async () => {
  const { port } = new URL(mock.url);
  await expect(startMock(folder, { PORT: port })).rejects.toThrow(
    /ended with 1:\nThe mock did not start: port \d+ is in use; .*choose another PORT$/,
  );
});

test('an interrupt ends it at once', async () => {
  await pen();
  expect(await mock.stop('SIGINT')).toBe(0);
});
