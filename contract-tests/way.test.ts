/** Tests how many files of the service a request runs on the main thread: it is to be read in an hour. */
import { beforeAll, describe, expect, test } from 'vitest';
import { traceOperations, type Way } from '../tools/way/trace-operations.js';

/** The maximum number of files on the way of an operation's example request. */
const MAX_FILES = { getSkill: 22, createSkill: 30, predict: 45 };

let ways: readonly Way[];
beforeAll(async () => {
  ways = await traceOperations(Object.keys(MAX_FILES));
});

describe.each(Object.entries(MAX_FILES))('%s', (operationId, maxFiles) => {
  test(`runs at most ${maxFiles} files on the main thread`, () => {
    const way = ways.find((one) => one.operationId === operationId);
    expect(way?.status).toBeLessThan(300);
    const files = way?.files.map(({ file }) => file) ?? [];
    expect(files).not.toEqual([]);
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(maxFiles);
  });
});
