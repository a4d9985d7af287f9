import { scriptCommand } from '../../testkit/command-line.js';
import { row, table } from '../../testkit/markdown-table.js';
import { machine, minutesSince, publish, verdict, withFolder } from '../scenarios.js';
import { type Stored, withStored } from './fixture.js';
import { type Growth, listGrowths } from './growths.js';
import { BOUNDS, GROSS_BOUNDS, measureSeries, slopeOf } from './judge.js';
import { type MeasuredTurn, type Turn, Watch } from './measure.js';
import { listSamples } from './requests.js';
import { storedCases } from './stored-cases.js';
import { listStrangers } from './strangers.js';

/** The rounds of a series or a case that is out of bounds, of which the best counts. */
const ROUNDS = 8;

/** The share of the patterns that the short form sends: each place gets some of them, and each pattern some places. */
const SHORT_SHARE = 32;

const COLUMNS = ['place', 'pattern', 'bytes', 'status', 'hold, ms', 'slope', 'live, ms'];

interface Options {
  readonly from?: string;
  readonly short?: true;
  readonly anySpeed?: true;
}

/** The longest hold of all measurements of a sample. */
interface Longest {
  readonly growth: Growth;
  readonly turn: MeasuredTurn;
  readonly slope: number | undefined;
  readonly count: number;
}

/**
 * `npm run bench:hold`: measures for how long one request blocks the service's event loop. Every place of every
 * operation of the contract is filled with patterns that grow; further cases need much stored data.
 */
await scriptCommand('bench:hold', 'Measure for how long one request blocks the event loop.')
  .argument('[words...]', 'only the operations and cases whose names contain the words')
  .option('--from <name>', 'begin with the first operation whose name contains the text')
  .option('--short', 'send some of the patterns, and judge only gross faults, which no load causes')
  .option('--any-speed', 'exit with 0 whatever blocked the event loop')
  .addHelpText(
    'after',
    `\nExits with 1 if a request blocks it for longer than ${BOUNDS.hold} ms, or with a higher power of its size than
${BOUNDS.slope}; in the short form, for longer than ${GROSS_BOUNDS.hold} ms, or with a higher power than ${GROSS_BOUNDS.slope}.`,
  )
  .action(measure)
  .parseAsync();

async function measure(words: readonly string[], options: Options): Promise<void> {
  const begun = performance.now();
  const word = words.join(' ');
  const { short, from = '' } = options;
  const tables = await withFolder((folder) =>
    withStored(folder, short === true, async (stored) => {
      const watch = await Watch.begin(stored.service);
      try {
        const grown = await measureGrowths(stored, watch, word, options);
        // Storing the data of the cases takes minutes, and words mostly name an operation.
        const isGrown = word !== '' && grown.length > 0;
        return short || isGrown ? grown : [...grown, await measureCases(stored, watch, word, options)];
      } finally {
        await watch.close();
      }
    }),
  );
  const text = [`${machine()}; ${minutesSince(begun)}`, ...tables].join('\n\n');
  const isWhole = !short && word === '' && from === '';
  await publish(`${text}\n`, isWhole ? { file: 'hold', name: 'bench:hold' } : undefined);
}

/** Returns a table of the faults, and one of the longest hold of each operation. */
async function measureGrowths(
  { known }: Stored,
  watch: Watch,
  words: string,
  { from = '', short, anySpeed }: Options,
): Promise<string[]> {
  const all = [...listSamples(known).flatMap(listGrowths), ...listStrangers(known)];
  const first = all.findIndex(({ sample }) => sample.includes(from));
  if (first === -1) throw new Error(`no operation has a name that contains ${from}`);
  const named = all.slice(first).filter(({ sample }) => sample.includes(words));
  const chosen = short ? named.filter((_, at) => at % SHORT_SHARE === 0) : named;
  const bounds = short ? GROSS_BOUNDS : BOUNDS;
  const authorization = `Bearer ${known.key}`;
  const longest = new Map<string, Longest>();
  const faults: string[][] = [];
  let sample = '';
  for (const growth of chosen) {
    if (growth.sample !== sample) process.stderr.write(`${growth.sample} …\n`);
    sample = growth.sample;
    const measureSize = async (bytes: number): Promise<MeasuredTurn> => {
      const turn = await watch.measureRequest(growth.write(bytes), authorization);
      return { bytes, ...turn };
    };
    for (const ascending of growth.series) {
      const sizes = short ? ascending.slice(-2) : ascending;
      const { series, fault } = await measureSeries(sizes, measureSize, bounds, ROUNDS);
      longest.set(sample, await longer(longest.get(sample), growth, series, measureSize));
      if (fault === undefined) continue;
      const cells = [sample, ...describe(growth, fault.at, fault.slope)];
      process.stderr.write(`  ${row(cells)}\n`);
      faults.push([...cells, verdict(false, anySpeed)]);
    }
  }
  const rows = [...longest].map(([name, { growth, turn, slope, count }]) => {
    return [name, count, ...describe(growth, turn, slope)];
  });
  if (rows.length === 0) return [];
  const found = faults.length === 0 ? [] : [table(['out of bounds', ...COLUMNS, ''], faults)];
  return [...found, table(['operation', 'series', ...COLUMNS], rows)];
}

function describe(
  { place, pattern }: Growth,
  { bytes, status, hold, live }: MeasuredTurn,
  slope: number | undefined,
): string[] {
  const power = slope === undefined ? '' : slope.toFixed(1);
  const times = [hold.toFixed(1), power, live.toFixed(0)];
  return [place, `\`${pattern}\``, String(bytes), String(status), ...times];
}

/** Returns the longest hold of a sample, which is measured again before it counts. */
async function longer(
  before: Longest | undefined,
  growth: Growth,
  series: readonly MeasuredTurn[],
  measureSize: (bytes: number) => Promise<MeasuredTurn>,
): Promise<Longest> {
  const count = (before?.count ?? 0) + 1;
  let turn = series.reduce((one, other) => (other.hold > one.hold ? other : one));
  const isLonger = () => before === undefined || turn.hold > before.turn.hold;
  for (let round = 1; round < ROUNDS && turn.hold > BOUNDS.floor && isLonger(); round += 1) {
    const again = await measureSize(turn.bytes);
    if (again.hold < turn.hold) turn = again;
  }
  if (before !== undefined && !isLonger()) return { ...before, count };
  return { growth, turn, slope: slopeOf(series, BOUNDS.floor), count };
}

/** Returns the table of the cases that need much stored data. */
async function measureCases(
  { service, known }: Stored,
  watch: Watch,
  words: string,
  { anySpeed }: Options,
): Promise<string> {
  const rows: string[][] = [];
  for await (const { name, send } of storedCases(service.url, known.key, words)) {
    let best: Turn = await watch.measure(send);
    for (let round = 1; round < ROUNDS; round += 1) {
      const again = await watch.measure(send);
      if (again.hold < best.hold) best = again;
    }
    const { status, answer, hold, live } = best;
    const word = verdict(hold <= BOUNDS.hold, anySpeed);
    const cells = [name, status, answer, hold.toFixed(1), live.toFixed(0), word].map(String);
    process.stderr.write(`  ${row(cells)}\n`);
    rows.push(cells);
  }
  return table(['stored', 'status', 'answer', 'hold, ms', 'live, ms', ''], rows);
}
