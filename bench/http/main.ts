import { machine } from '../scenario/machine.js';
import { keepResult } from '../scenario/results.js';
import { chosen, readArguments } from './arguments.js';
import { growing, yardsticks } from './contenders.js';
import { separateCores } from './cores.js';
import { groups, limits } from './groups.js';
import { WARM_UP } from './measure.js';
import { figures, verdicts, verdictTable } from './report.js';
import { run } from './run.js';

/**
 * Measures the cost of a request, in comparison with the alternatives. The exit code is 1 if a figure was
 * missed. Linux only.
 *
 * usage: npm run bench:http [-- --only GROUP,… --against CONTENDER,… --rounds N --seconds S --any-speed]
 */
const { only, against, rounds, seconds, anySpeed, isDefault } = readArguments(
  process.argv.slice(2),
);
const all = groups(chosen(yardsticks, against));
const cores = separateCores();
const begun = performance.now();
const cells = await run(chosen(all, only), {
  cores,
  rounds,
  seconds,
  onGroup: ({ name }) => process.stderr.write(`${name} …\n`),
});
const minutes = ((performance.now() - begun) / 60_000).toFixed(1);
const found = verdicts(limits, cells);
const tables = [false, true]
  .map((grows) => cells.filter(({ contender }) => growing.includes(contender) === grows))
  .filter(({ length }) => length > 0)
  .map(figures);
if (!anySpeed && found.some(({ isKept }) => !isKept)) process.exitCode = 1;
const text = `${machine()}, ${cores ? 'on a core of its own' : 'on the same cores'}; medians of ${rounds} rounds of ${seconds} s, after ${WARM_UP} to warm up; ${minutes} minutes

${tables.join('\n\n')}

${verdictTable(found)}
`;
process.stdout.write(text);
// Only complete measurements with the default rounds are kept.
if (isDefault) await keepResult('http', `# What \`npm run bench:http\` found\n\n${text}`);
