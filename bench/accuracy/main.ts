import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvalidArgumentError, Option } from 'commander';
import type { Effort } from 'roster-prediction/training';
import { scriptCommand, wholeNumberFrom } from '../../testkit/command-line.js';
import { readField } from '../../testkit/json.js';
import { table as markdown } from '../../testkit/markdown-table.js';
import { root } from '../../testkit/root.js';
import { machine, minutesSince, publish, verdict } from '../scenarios.js';
import { type Figures, measure } from './measures.js';
import { PeerRuns } from './peer-runs.js';
import { PEER_NAMES, type Peer } from './peers.js';
import { describeBriefly, describeTables, judge, listLibraries, summarize, type TableFigures } from './report.js';
import { type Contender, EFFORTS, loadRoster } from './roster.js';
import { type DataTable, readTables, SETS, splitTable, type Task, UnknownTableError } from './tables.js';

const SPLITS = 5;
const MAX_ROWS = 20_000;
const SHORT = { splits: 1, maxRows: 1000 };

interface Options {
  readonly data?: string;
  readonly set: 'tuned' | 'once' | 'all';
  readonly tables?: readonly string[];
  readonly splits: number;
  readonly maxRows: number;
  readonly roster?: string;
  readonly effort?: Effort;
  readonly peers: readonly Peer[];
  readonly cached?: true;
  readonly peersOnly?: true;
  readonly each?: true;
  readonly save?: string;
  readonly beside?: string;
  readonly short?: true;
  readonly anySpeed?: true;
}

/**
 * Reads the names of peers.
 * @throws {InvalidArgumentError} if one has none of the names
 */
function peersAmong(text: string): readonly Peer[] {
  const names = text === 'none' ? [] : text.split(',');
  const known = PEER_NAMES.filter((peer) => names.includes(peer));
  if (known.length === names.length) return known;
  throw new InvalidArgumentError(`The peers are ${PEER_NAMES.join(', ')}.`);
}

const listOf = (text: string) => text.split(',').filter((name) => name !== '');

/** `npm run bench:accuracy`: how far predictions are off on public tables, beside those of other libraries. */
const command = scriptCommand(
  'bench:accuracy',
  'Measure the errors of models on public tables, beside XGBoost and scikit-learn.',
)
  .option(
    '--data <folder>',
    'public tables: a CSV each, and tables.json, which describes them; a few of this project without it',
  )
  .addOption(
    new Option('--set <set>', 'the tables that are tuned on, those that are looked at once, or all')
      .choices([...SETS, 'all'])
      .default('tuned'),
  )
  .option('--tables <names>', 'only these tables', listOf)
  .option('--splits <n>', 'random splits of each table', wholeNumberFrom(1), SPLITS)
  .option('--max-rows <n>', 'the most rows that train', wholeNumberFrom(50), MAX_ROWS)
  .option('--roster <tree>', 'the folder of another built tree of this project, which is measured in place of this one')
  .addOption(new Option('--effort <effort>', 'the time that a training may take').choices(EFFORTS))
  .option('--peers <names>', `some of ${PEER_NAMES.join(',')}, or none`, peersAmong, PEER_NAMES)
  .option('--cached', 'use the figures of peers that are kept beside the data, and measure no others')
  .option('--peers-only', 'only measure the peers whose figures are not kept yet')
  .option('--each', 'print each table, also of those that are looked at once')
  .option('--save <file>', 'write the figures of each split as JSON')
  .option('--beside <file>', 'compare with figures that --save wrote')
  .option('--short', 'one small split of each table')
  .option('--any-speed', 'exit with 0 although figures are missed')
  .action((options) => run(options).catch(refuse));
await command.parseAsync();

/** Ends the command in one line if it was asked for a table that there is not. */
function refuse(error: unknown): never {
  if (error instanceof UnknownTableError) command.error(`error: ${error.message}`);
  throw error;
}

async function run(given: Options): Promise<void> {
  const begun = performance.now();
  const options: Options = given.short ? { ...given, ...SHORT } : given;
  const folder = options.data ?? fileURLToPath(new URL('bench/accuracy', root));
  const sets = options.set === 'all' ? SETS : [options.set];
  const roster = await loadRoster(options.roster, options.effort);
  const peers = new PeerRuns(options.data && join(folder, 'peers'), options.cached === true);
  const before = options.beside ? JSON.parse(await readFile(options.beside, 'utf8')) : undefined;
  const results: TableFigures[] = [];
  for await (const table of readTables(join(folder, 'tables.json'), { sets, names: options.tables })) {
    const result = await measureTable(table, roster, peers, options);
    const compared = { ...result, before: earlier(before, table.name) };
    results.push(compared);
    if (options.peersOnly || (table.set === 'once' && !options.each)) continue;
    process.stderr.write(`${describeBriefly(compared)}\n`);
  }
  peers.close();
  if (options.peersOnly) return;
  const parts: string[] = [];
  for (const set of SETS) {
    for (const task of ['regression', 'classification'] as const) parts.push(...describe(results, set, task, options));
  }
  if (options.save) await writeFile(options.save, `${JSON.stringify(results, null, 1)}\n`);
  const { splits, maxRows } = options;
  const libraries = listLibraries(results)
    .map((library) => `${library}; `)
    .join('');
  const where = `${machine()}; one core; ${libraries}${splits} splits, at most ${maxRows} rows to train; ${minutesSince(begun)}`;
  // Only complete runs of this tree are kept.
  const isPart = options.tables || options.roster || options.effort || options.cached || options.short;
  const isWhole = options.data && options.set === 'all' && !isPart && splits >= SPLITS && maxRows >= MAX_ROWS;
  await publish(
    `${where}\n\n${parts.join('\n\n')}\n`,
    isWhole ? { file: 'accuracy', name: 'bench:accuracy' } : undefined,
  );
}

async function measureTable(
  table: DataTable,
  roster: Contender,
  peers: PeerRuns,
  options: Options,
): Promise<TableFigures> {
  const own: Figures[] = [];
  const others: Partial<Record<Peer, Figures[]>> = Object.fromEntries(options.peers.map((peer) => [peer, []]));
  for (let index = 0; index < Math.min(options.splits, table.maxSplits); index++) {
    const split = splitTable(table, index, options.maxRows);
    if (!options.peersOnly) own.push(measure(table, split, await roster(table, split)));
    for (const peer of options.peers) {
      const figures = await peers.figures(table, split, peer);
      const kept = others[peer];
      if (!figures || !kept) continue;
      kept[index] = figures;
      if (options.peersOnly) {
        process.stderr.write(`${table.name} ${index} ${peer} ${figures.training.toFixed(1)} s\n`);
      }
    }
  }
  return { name: table.name, set: table.set, task: table.task, rows: table.rows.length, roster: own, peers: others };
}

function describe(results: readonly TableFigures[], set: string, task: Task, { each, anySpeed }: Options): string[] {
  const tables = results.filter((result) => result.set === set && result.task === task);
  if (tables.length === 0) return [];
  const what = `${task === 'regression' ? 'numbers' : 'classes'}, ${set === 'tuned' ? 'tuned on' : 'looked at once'}`;
  const findings = judge(tables, task, what).map(({ asked, measured, passed }) => [
    asked,
    measured,
    verdict(passed, anySpeed),
  ]);
  return [
    `## ${what}: ${tables.length} tables`,
    ...(set === 'tuned' || each ? [describeTables(tables, task)] : []),
    ...(tables.some(({ peers, before }) => before || Object.values(peers).some(({ length }) => length > 0))
      ? [summarize(tables)]
      : []),
    markdown(['asked for', 'measured', ''], findings),
  ];
}

/** Returns the figures of an earlier run on a table. */
function earlier(before: unknown, name: string): readonly Figures[] | undefined {
  const found = Array.isArray(before) ? before.find((each) => readField(each, 'name') === name) : undefined;
  const figures = readField(found, 'roster');
  return Array.isArray(figures) ? figures : undefined;
}
