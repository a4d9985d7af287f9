import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { diamondTable } from '../../../../testkit/data/diamonds.js';
import { OpenStream } from '../../../../testkit/http/open-stream.js';
import { fieldOf, textOf } from '../../../../testkit/json.js';
import type { Finding } from '../../../scenario/scenario.js';
import type { Attack } from '../../attacks/attack.js';

const ROSTER = fileURLToPath(new URL('../../../../server/commands/roster.js', import.meta.url));
const run = promisify(execFile);

/** The time between two rows of the stream, in milliseconds. */
const BETWEEN_ROWS = 50;
/**
 * The longest that a revoked key may still work, in milliseconds: a second, plus a margin for slow machines.
 */
const STILL_GOOD = 2000;

/** A stream of predictions that goes on after its key was revoked. */
export const revokedStream: Attack = {
  name: 'revoked-stream',
  prepare: async (target) => {
    const { url, databaseUrl } = target;
    const owner = await target.owner('attacker');
    const key = String(owner.Authorization).replace('Bearer ', '');
    const { csv, rows } = diamondTable(60);
    const model = await target.model(owner, csv);
    return async () => {
      const stream = new OpenStream(`${url + model}/predict`, key);
      const writing = setInterval(() => stream.write(`${JSON.stringify(rows[0])}\n`), BETWEEN_ROWS);
      try {
        const reading = lastLine(stream);
        await delay((target.seconds * 1000) / 4);
        const [, id = ''] = key.split('_');
        await run(process.execPath, [ROSTER, 'keys', 'revoke', id], {
          env: { ...process.env, DATABASE_URL: databaseUrl },
        });
        const revoked = performance.now();
        const line = await Promise.race([reading, delay(STILL_GOOD)]);
        return [finding(line, performance.now() - revoked)];
      } finally {
        clearInterval(writing);
        stream.break();
      }
    };
  },
};

/** Returns the last line of a stream; undefined if it broke off. */
async function lastLine(stream: OpenStream): Promise<unknown> {
  try {
    let last: unknown;
    for (let line = await stream.next(); line !== undefined; line = await stream.next()) {
      last = line;
    }
    return last;
  } catch {
    return undefined;
  }
}

function finding(line: unknown, milliseconds: number): Finding {
  const type = textOf(fieldOf(line, 'problem'), 'type');
  return {
    asked: `a revoked key's stream ends within ${STILL_GOOD} ms, with a line that is a problem`,
    measured: type
      ? `ended after ${milliseconds.toFixed(0)} ms with ${type}`
      : `no problem came in ${milliseconds.toFixed(0)} ms`,
    passed: type !== '' && milliseconds <= STILL_GOOD,
  };
}
