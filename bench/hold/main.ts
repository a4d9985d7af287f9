import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startService } from '../../testkit/service/measured-service.js';
import { machine } from '../scenario/machine.js';
import { type Case, cases } from './cases.js';

/** How long one turn of the event loop may take, in milliseconds. */
const MAX_HOLD_MS = 50;

/**
 * The best of so many rounds counts: what the garbage collector does in between is not the request's, nor is what is
 * loaded and compiled for the first request, or the first refusal, of a process.
 */
const ROUNDS = 3;

/**
 * Measures for how long one request holds the service's event loop, with the largest and the most faulty
 * requests of each operation. The exit code is 1 if one holds it for longer than it may.
 *
 * usage: npm run bench:hold [-- [--short] [--any-speed] [WORDS]]
 *
 * WORDS        only the cases whose names have the words
 * --short      without lists and predictions, for which much has to be stored first
 * --any-speed  the exit code is 0 however long the event loop was held
 */
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean', default: false },
    'any-speed': { type: 'boolean', default: false },
  },
});
const choice = { words: positionals.join(' '), isShort: options.short };
const folder = await mkdtemp(join(tmpdir(), 'roster-'));
const preload = new URL('./watch.js', import.meta.url);
const service = await startService(
  folder,
  `file:${join(folder, 'roster.db')}`,
  { RATE_LIMIT: '0' },
  { preload },
);
try {
  process.stdout.write(
    `${machine()}\n\n| request | status | answer | hold, ms | |\n|---|---|---|---|---|\n`,
  );
  for await (const each of cases(service.url, choice)) {
    const { status, bytes, hold } = await measured(each);
    const verdict = hold <= MAX_HOLD_MS ? '' : '**too long**';
    if (verdict !== '' && !options['any-speed']) process.exitCode = 1;
    process.stdout.write(
      `| ${each.name} | ${status} | ${bytes} | ${hold.toFixed(0)} | ${verdict} |\n`,
    );
  }
} finally {
  await service.kill();
  await rm(folder, { recursive: true, force: true });
}

async function measured({ send }: Case) {
  let best = { status: 0, bytes: 0, hold: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round += 1) {
    await service.ask('begin');
    const answer = await send();
    const hold = Number(await service.ask('end'));
    if (hold < best.hold) best = { ...answer, hold };
  }
  return best;
}
