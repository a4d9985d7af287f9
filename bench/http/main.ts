import { namesAmong, positiveNumber, scriptCommand } from '../../testkit/command-line.js';
import { keepResult, machine, minutesSince } from '../report.js';
import { baselines, growing } from './contenders.js';
import { separateCores } from './cores.js';
import { groups, limits } from './groups.js';
import { WARM_UP } from './measure.js';
import { figures, verdicts, verdictTable } from './report.js';
import { run } from './run.js';

interface Options {
  readonly only?: readonly string[];
  readonly against?: readonly string[];
  readonly rounds: number;
  readonly seconds: number;
  readonly anySpeed?: true;
}

/** `npm run bench:http`: measures the cost of a request, in comparison with the alternatives. Linux only. */
await scriptCommand('bench:http', 'Measure the cost of a request, beside the alternatives.')
  .option(
    '--only <groups>',
    'these groups of operations, separated by commas',
    namesAmong(groups(baselines)),
  )
  .option('--against <contenders>', 'these contenders beside Roster', namesAmong(baselines))
  .option('--rounds <n>', 'the number of rounds', positiveNumber, 7)
  .option('--seconds <s>', 'the duration of a round', positiveNumber, 0.8)
  .option('--any-speed', 'exit with 0 although figures are missed')
  .addHelpText(
    'after',
    '\nExits with 1 if a figure is missed. Only a run without options is kept in bench/results/.',
  )
  .action(measure)
  .parseAsync();

async function measure({
  only = [],
  against = [],
  rounds,
  seconds,
  anySpeed,
}: Options): Promise<void> {
  const chosen = groups(baselines.filter(isIn(against))).filter(isIn(only));
  const cores = separateCores();
  const begun = performance.now();
  const cells = await run(chosen, {
    cores,
    rounds,
    seconds,
    onGroup: ({ name }) => process.stderr.write(`${name} …\n`),
  });
  const minutes = minutesSince(begun);
  const found = verdicts(limits, cells);
  const tables = [false, true]
    .map((grows) => cells.filter(({ contender }) => growing.includes(contender) === grows))
    .filter(({ length }) => length > 0)
    .map(figures);
  if (!anySpeed && found.some(({ isKept }) => !isKept)) process.exitCode = 1;
  const text = `${machine()}, ${cores ? 'on a core of its own' : 'on the same cores'}; medians of ${rounds} rounds of ${seconds} s, after ${WARM_UP} to warm up; ${minutes}

${tables.join('\n\n')}

${verdictTable(found)}
`;
  process.stdout.write(text);
  // Only complete measurements with the default rounds are kept.
  if (process.argv.length === 2) await keepResult('http', 'bench:http', text);
}

/** Returns a filter for the names of a list; an empty list stands for all. */
function isIn(names: readonly string[]): (one: { readonly name: string }) => boolean {
  return ({ name }) => names.length === 0 || names.includes(name);
}
