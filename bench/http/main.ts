import { namesAmong, positiveNumber, scriptCommand } from '../../testkit/command-line.js';
import { table } from '../../testkit/markdown-table.js';
import { median } from '../../testkit/numbers.js';
import { compareRounds } from '../load.js';
import { machine, minutesSince, publish, verdict } from '../scenarios.js';
import { separateCores } from '../services.js';
import {
  baselines,
  besideRefusals,
  type Contender,
  createSkill,
  equippedFastify,
  express,
  getSkill,
  growing,
  larger,
  listOneSkill,
  listSkills,
  type Operation,
  prepared,
  refusedCreate,
  refusedList,
  roster,
  unaudited,
  unchanged,
  unknownSkill,
  updateAgent,
  variants,
} from './contenders.js';
import { measureInstances } from './instances.js';
import { type Group, has, type Measured, measure, WARM_UP, type Work } from './measure.js';

/** @param against the baselines that Roster is compared with */
function groups(against: readonly Contender[] = baselines): readonly Group[] {
  const contenders = [roster, ...against];
  const all = (operation: Operation) =>
    contenders
      .filter((contender) => has(contender, operation))
      .filter(({ validates = true }) => validates || !operation.isRefused)
      .map((contender) => [contender, operation] as const);
  return [
    { name: 'getSkill', works: all(getSkill) },
    { name: 'listSkills', works: [...all(listSkills), [roster, listOneSkill], ...all(refusedList)] },
    { name: 'createSkill', works: [...all(createSkill), ...all(refusedCreate)] },
    { name: 'updateAgent', works: all(updateAgent) },
    { name: '404', works: all(unknownSkill) },
    { name: 'limits', works: [getSkill, besideRefusals].map((one) => [roster, one] as const) },
    {
      name: 'audit',
      works: [createSkill, updateAgent].flatMap((operation) =>
        [unchanged, unaudited].map((one) => [one, operation] as const),
      ),
    },
    { name: 'growth', works: growing.map((contender) => [contender, getSkill] as const) },
  ];
}

/** The name of what several instances on PostgreSQL are measured by, beside the groups. */
const INSTANCES = { name: 'instances' };

/** A maximum for the cost of one operation divided by that of another. */
type Limit = readonly [asked: string, most: number, of: Work, over: Work];

const LIMITS: readonly Limit[] = [
  ['getSkill, of bare Express', 1.25, [roster, getSkill], [express, getSkill]],
  ['getSkill, of one prepared statement', 1, [roster, getSkill], [prepared, getSkill]],
  ['getSkill, of the equipped Fastify', 1.6, [roster, getSkill], [equippedFastify, getSkill]],
  ['getSkill, beside a refused key', 1.05, [roster, besideRefusals], [roster, getSkill]],
  ['createSkill, of bare Express', 1.25, [roster, createSkill], [express, createSkill]],
  ['createSkill, refused, of accepted', 1, [roster, refusedCreate], [roster, createSkill]],
  ['listSkills, limit=0, of limit=1', 1, [roster, refusedList], [roster, listOneSkill]],
  ['createSkill, with its event', 1.1, [unchanged, createSkill], [unaudited, createSkill]],
  ['updateAgent, with its event', 1.1, [unchanged, updateAgent], [unaudited, updateAgent]],
  ['getSkill with 500 operations more', 1.05, [larger, getSkill], [unchanged, getSkill]],
];

interface Options {
  readonly only?: readonly string[];
  readonly against?: readonly string[];
  readonly rounds: number;
  readonly seconds: number;
  readonly anySpeed?: true;
}

/** `npm run bench:http`: measures the cost of a request, in comparison with the alternatives. Linux only. */
await scriptCommand('bench:http', 'Measure the cost of a request, beside the alternatives.')
  .option('--only <groups>', 'these groups of operations, with commas', namesAmong([...groups(), INSTANCES]))
  .option('--against <contenders>', 'these contenders beside Roster', namesAmong(baselines))
  .option('--rounds <n>', 'the number of rounds', positiveNumber, 7)
  .option('--seconds <s>', 'the duration of a round', positiveNumber, 0.8)
  .option('--any-speed', 'exit with 0 although figures are missed')
  .addHelpText('after', '\nExits with 1 if a figure is missed. Only a run without options is kept.')
  .action(run)
  .parseAsync();

async function run(options: Options): Promise<void> {
  const { only = [], against = [], rounds, seconds, anySpeed } = options;
  const cores = separateCores();
  const begun = performance.now();
  // Before the load gets its own core, which the processes that it starts would share.
  const instances = isIn(only)(INSTANCES) ? [await measureInstances({ rounds, seconds })] : [];
  const chosen = groups(baselines.filter(isIn(against))).filter(isIn(only));
  const measured = await measure(chosen, { cores, rounds, seconds });
  const minutes = minutesSince(begun);
  const tables = [false, true]
    .map((vary) => measured.filter(({ work }) => variants.includes(work[0]) === vary))
    .filter(({ length }) => length > 0)
    .map(figures);
  const limits = LIMITS.flatMap((limit) => judge(limit, measured, anySpeed));
  const head = ['processor a request', 'at most', 'measured', 'of the cheapest rounds', ''];
  const judged = limits.length > 0 ? [table(head, limits)] : [];
  const where = cores ? 'on a separate core' : 'on the same cores';
  const how = `medians of ${rounds} rounds of ${seconds} s, after ${WARM_UP} to warm up`;
  const about = `${machine()}, ${where}; ${how}; ${minutes}`;
  const text = `${[about, ...tables, ...judged, ...instances].join('\n\n')}\n`;
  // Only complete measurements with the default rounds are kept.
  await publish(text, process.argv.length === 2 ? { file: 'http', name: 'bench:http' } : undefined);
}

/** Returns a filter for the names of a list; an empty list stands for all. */
function isIn(names: readonly string[]): (one: { readonly name: string }) => boolean {
  return ({ name }) => names.length === 0 || names.includes(name);
}

/** Formats a table with a row for each operation and a column for each contender. */
function figures(measured: readonly Measured[]): string {
  const contenders = [...new Set(measured.map(({ work: [contender] }) => contender))];
  const operations = [...new Set(measured.map(({ work: [, operation] }) => operation))];
  const figure = (contender: Contender, operation: Operation) => {
    const { rounds } = find(measured, [contender, operation]) ?? {};
    if (!rounds) return '';
    const cost = 1000 * median(rounds.map((round) => round.cost));
    const rate = median(rounds.map((round) => round.perSecond));
    return `${cost.toFixed(0)} µs, ${rate.toFixed(0)}/s`;
  };
  const rows = operations.map((operation) => [
    operation.name,
    ...contenders.map((contender) => figure(contender, operation)),
  ]);
  const titles = contenders.map(({ title }) => title);
  return table(['processor a request, requests a second', ...titles], rows);
}

/** Judges a limit if its figures were measured. Returns the cells of its row. */
function judge([asked, most, of, over]: Limit, all: readonly Measured[], mayMiss?: boolean) {
  const [one, other] = [find(all, of)?.rounds, find(all, over)?.rounds];
  if (!one || !other) return [];
  const { ratio, range } = compareRounds(one, other, 'cost');
  // Other load on the machine only adds to the cost of a round.
  const cheapest = (rounds: Measured['rounds']) => Math.min(...rounds.map(({ cost }) => cost));
  const measured = `${ratio.toFixed(2)} (${range})`;
  const ofCheapest = (cheapest(one) / cheapest(other)).toFixed(2);
  const word = verdict(ratio <= most, mayMiss);
  return [[asked, most.toFixed(2), measured, ofCheapest, word]];
}

function find(all: readonly Measured[], [contender, operation]: Work): Measured | undefined {
  return all.find(({ work }) => work[0] === contender && work[1] === operation);
}
