import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { root } from '../../testkit/root.js';
import { beginRecords, findOutdated, readState } from './records.js';

// The run that has this test may be recorded itself.
let recording: string | undefined;
beforeEach(() => {
  recording = process.env['ROSTER_RECORD_PROMISES'];
});
afterEach(() => {
  if (recording === undefined) delete process.env['ROSTER_RECORD_PROMISES'];
  else process.env['ROSTER_RECORD_PROMISES'] = recording;
  rmSync(new URL('.contract-coverage/tried', root), { recursive: true });
});

test('records count from the end of a run, until a file changes, comes or goes', () => {
  const now = readState();
  const end = beginRecords(['tried']);
  expect(findOutdated('tried', now)).toBe('its tests have not run to their end');
  end();
  expect(findOutdated('tried', now)).toBeUndefined();

  const { 'openapi.yaml': contract, ...others } = now;
  expect(contract).toBeDefined();
  expect(findOutdated('tried', others)).toBe('openapi.yaml has changed');
  expect(findOutdated('tried', { ...others, 'openapi.yaml': '' })).toBe('openapi.yaml has changed');
  expect(findOutdated('tried', { ...now, 'server/new.test.ts': '' })).toBe('server/new.test.ts has changed');
});
