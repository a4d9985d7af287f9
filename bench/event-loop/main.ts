import { scriptCommand } from '../../testkit/command-line.js';
import { row, table } from '../../testkit/markdown-table.js';
import type { Service } from '../../testkit/service/measured-service.js';
import { PRELOAD } from '../preload.js';
import { machine, verdict, withFolder } from '../scenarios.js';
import { withService } from '../services.js';
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
  const run = async (service: Service) => {
    const head = table(['request', 'status', 'answer', 'hold, ms', ''], []);
    process.stdout.write(`${machine()}\n\n${head}\n`);
    for await (const each of cases(service.url, choice)) {
      const { status, bytes, hold } = await measureCase(service, each);
      const word = verdict(hold <= MAX_HOLD_MS, anySpeed);
      process.stdout.write(`${row([each.name, status, bytes, hold.toFixed(0), word])}\n`);
    }
  };
  const start = { env: { RATE_LIMIT: '0' }, preload: PRELOAD };
  await withFolder((folder) => withService(folder, run, start));
}

async function measureCase(service: Service, { send }: Case) {
  let best = { status: 0, bytes: 0, hold: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round += 1) {
    await service.ask('begin');
    const answer = await send();
    const hold = Number(await service.ask('end'));
    if (hold < best.hold) best = { ...answer, hold };
  }
  return best;
}
