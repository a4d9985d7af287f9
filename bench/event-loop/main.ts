import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptCommand } from '../../testkit/command-line.js';
import { type Service, startService } from '../../testkit/service/measured-service.js';
import { machine } from '../report.js';
import { type Case, cases } from './cases.js';

/** The maximum duration of one turn of the event loop, in milliseconds. */
const MAX_HOLD_MS = 50;

/**
 * The number of rounds, of which the best counts: garbage collection in between is not caused by the request,
 * nor is the code that is loaded and compiled for the first request or refusal of a process.
 */
const ROUNDS = 3;

interface Options {
  readonly short?: true;
  readonly anySpeed?: true;
}

/**
 * `npm run bench:hold`: measures for how long one request blocks the service's event loop, with the largest and the
 * most faulty requests of each operation.
 */
await scriptCommand('bench:hold', 'Measure for how long one request blocks the event loop.')
  .argument('[words...]', 'only the cases whose names contain the words')
  .option('--short', 'leave out lists and predictions, which need much stored data')
  .option('--any-speed', 'exit with 0 however long the event loop was blocked')
  .addHelpText('after', `\nExits with 1 if a request blocks it for longer than ${MAX_HOLD_MS} ms.`)
  .action(measure)
  .parseAsync();

async function measure(words: readonly string[], { short, anySpeed }: Options): Promise<void> {
  const choice = { words: words.join(' '), isShort: short === true };
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
      const { status, bytes, hold } = await measured(service, each);
      const verdict = hold <= MAX_HOLD_MS ? '' : '**too long**';
      if (verdict !== '' && !anySpeed) process.exitCode = 1;
      process.stdout.write(
        `| ${each.name} | ${status} | ${bytes} | ${hold.toFixed(0)} | ${verdict} |\n`,
      );
    }
  } finally {
    await service.kill();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measured(service: Service, { send }: Case) {
  let best = { status: 0, bytes: 0, hold: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round += 1) {
    await service.ask('begin');
    const answer = await send();
    const hold = Number(await service.ask('end'));
    if (hold < best.hold) best = { ...answer, hold };
  }
  return best;
}
