import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compareRecordings, reportDifferences } from './compare.js';
import { Normalizer } from './normalizer.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'roster-compare-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function recording(name: string, ...details: string[]): string {
  const lines = details.map((detail, at) =>
    JSON.stringify({
      at: `case ${at}`,
      operation: 'getSkill',
      request: { path: '/skills/a' },
      answer: { status: 404, body: { detail } },
    }),
  );
  const file = join(folder, name);
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

describe('two recordings', () => {
  test('do not differ if they are the same', async () => {
    const found = compareRecordings(recording('a', 'one', 'two'), recording('b', 'one', 'two'));
    expect(await found).toEqual([]);
  });

  test('differ by an answer, and the report shows its request', async () => {
    const found = await compareRecordings(recording('a', 'one'), recording('b', 'other'));
    expect(reportDifferences(found, 1).split('\n')).toEqual([
      'getSkill: 1 differ',
      '  case 0',
      '    request: {"path":"/skills/a"}',
      '    - answer.body.detail: "one"',
      '    + answer.body.detail: "other"',
    ]);
  });

  test('differ by an answer that only one of them has', async () => {
    const found = await compareRecordings(recording('a', 'one', 'two'), recording('b', 'one'));
    expect(found).toMatchObject([{ at: 'case 1', after: undefined }]);
  });
});

describe('a recording', () => {
  const [first, second] = [
    '01a209d2-a4bc-709a-b4c7-849020c64714',
    '01a209d2-a4bc-709a-b4c7-849020c64715',
  ];

  test('tells identifiers apart, by the place where they first appear', () => {
    const normalizer = new Normalizer({});
    normalizer.begin('a.1');
    expect(normalizer.text(`${first} ${second}`)).toBe('<id 1 of a.1> <id 2 of a.1>');
    normalizer.begin('b.1');
    expect(normalizer.text(second)).toBe('<id 2 of a.1>');
  });

  test('leaves out addresses, durations and times of the run, and keeps other times', () => {
    const normalizer = new Normalizer({ service: '127.0.0.1:4000' });
    const now = new Date().toISOString();
    expect(normalizer.text(`127.0.0.1:4000 "milliseconds":3,"at":"${now}"`)).toBe(
      '<service> "milliseconds":<duration>,"at":"<time>"',
    );
    expect(normalizer.text('2026-01-14T09:00:00.000Z')).toBe('2026-01-14T09:00:00.000Z');
  });
});
