import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { seededRandom } from 'roster-prediction/internals';
import { DatabaseSync } from '../../server/store/database/sqlite-connection.js';
import { readField } from '../../testkit/json.js';
import { treeTime } from '../../testkit/service/measured-service.js';
import type { Finding } from '../scenarios.js';
import { onService, train } from '../services.js';
import { joinTable, makeRows, sendRows } from './million.js';

const MODEL = '/api/projects/default/models/promised';
const TRAINED = 2000;
const TRUTHS = 200_000;
const BATCHES = 50_000;

/** The most processor time of truths in any order beside that of truths in order, and of unknown ids beside its parts. */
const MOST = 1.5;

/** Truths in any order, and of ids that are not there among many batches of promises. */
export const truths = onService(
  { name: 'truths', start: { env: { RATE_LIMIT: '0' } } },
  async ({ url, pid }, { folder }) => {
    const model = `${url}${MODEL}`;
    await train(`${model}?target=y&exclude=order`, joinTable(makeRows(TRAINED, 1)));
    const all = makeRows(2 * TRUTHS, 2);
    await sendRows(`${model}/predict?remember=true&id=order`, all.asked);
    const add = async (lines: readonly string[], member: 'matched' | 'unmatched', id = 'order') => {
      const query = id === 'order' ? '?id=order' : '';
      const body = [`${id},y`, ...lines].join('\n');
      const begun = treeTime(pid);
      const [, answer] = await sendRows(`${model}/actuals${query}`, body);
      const count = readField(JSON.parse(answer.toString()), member);
      if (count !== lines.length) throw new Error(`${count} of ${lines.length} are ${member}`);
      return treeTime(pid) - begun;
    };
    const [, ...known] = all.truths.split('\n');
    const inOrder = await add(known.slice(0, TRUTHS), 'matched');
    const shuffled = await add(shuffle(known.slice(TRUTHS)), 'matched');
    addSmallBatches(join(folder, 'roster.db'));
    const unknown = known.slice(0, TRUTHS).map((line) => `x${line}`);
    const scan = await add(unknown.slice(0, 1), 'unmatched');
    const rows = unknown.map((_, row) => `${'z'.repeat(20)}-${row},1`);
    const reading = await add(rows, 'unmatched', '__service_row_id');
    const together = await add(unknown, 'unmatched');
    const count = TRUTHS.toLocaleString('en');
    return [
      compare(
        `${count} truths of own ids in any order, beside as many in the order of the promises`,
        shuffled,
        inOrder,
      ),
      compare(
        `${count} truths of ids that are not there among ${BATCHES.toLocaleString('en')} batches, beside one of them and as many of an answer that is not there`,
        together,
        scan + reading,
      ),
    ];
  },
);

function compare(asked: string, time: number, other: number): Finding {
  return {
    asked: `${asked}: at most ${MOST} of the processor time`,
    measured: `${(time / other).toFixed(2)}: ${time.toFixed(0)} ms against ${other.toFixed(0)} ms`,
    passed: time <= MOST * other,
  };
}

/** Adds batches of one row each, as if so many requests had remembered one. */
function addSmallBatches(file: string): void {
  const database = new DatabaseSync(file);
  const promises = database.prepare(`
    insert into promises
      (id, answer_id, first_row, row_count, model_id, version, owner, made_at, has_ids, bytes)
    select ?, ?, 0, 1, model_id, version, owner, made_at, 1, 2100
      from promises where first_row = 0 limit 1
  `);
  // Their promises are not read, as no truth meets one.
  const bytes = database.prepare('insert into promise_bytes (batch_id, ids, promises) values (?, ?, ?)');
  database.exec('begin');
  for (let batch = 0; batch < BATCHES; batch++) {
    const id = `${batch}`.padStart(36, '0');
    promises.run(id, id);
    bytes.run(id, randomBytes(8), Buffer.alloc(1));
  }
  database.exec('commit');
  database.close();
}

function shuffle(lines: readonly string[]): string[] {
  const random = seededRandom(3);
  const keyed = lines.map((line): [number, string] => [random(), line]);
  return keyed.sort(([one], [other]) => one - other).map(([, line]) => line);
}
