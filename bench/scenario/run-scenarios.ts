import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { machine } from './machine.js';
import { keepResult } from './results.js';
import type { Finding, Given, Scenario } from './scenario.js';

/**
 * Runs the scenarios that the command line names, or all of them, one after the other. Prints a table of their
 * findings, and keeps it if all scenarios ran. A family is named by the prefix of its scenarios. With
 * `--short`, scenarios run in their short form if they have one. The exit code is 1 if a figure was missed;
 * with `--any-speed`, only if a scenario broke off. `--before FOLDER` names an earlier commit, built. Linux only.
 *
 * @param command the name of the command in the table: `npm run COMMAND`
 * @param file the name of the kept table, without its extension
 * @param placing the cores of the processes, where the scenarios choose them
 */
export async function runScenarios(
  command: string,
  file: string,
  scenarios: readonly Scenario[],
  { placing }: { readonly placing?: string } = {},
): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'any-speed': { type: 'boolean', default: false },
      before: { type: 'string' },
      short: { type: 'boolean', default: false },
    },
  });
  const playable = values.short ? shortForms(scenarios) : scenarios;
  const chosen = choose(playable, positionals);
  const given = values.before === undefined ? {} : { before: resolve(values.before) };
  const rows: string[] = [];
  const begun = performance.now();
  for (const scenario of chosen) {
    process.stderr.write(`${scenario.name} …\n`);
    for (const finding of await findingsOf(scenario, given)) {
      if (finding.passed === false && !values['any-speed']) process.exitCode = 1;
      rows.push(rowOf(scenario, finding));
      process.stderr.write(`  ${rows.at(-1)}\n`);
    }
  }
  const minutes = ((performance.now() - begun) / 60_000).toFixed(1);
  const where = placing === undefined ? machine() : `${machine()}: ${placing}`;
  const table = `${where}; ${minutes} minutes

| scenario | asked for | measured | |
|---|---|---|---|
${rows.join('\n')}
`;
  process.stdout.write(table);
  // Only complete runs in the long form are kept.
  if (values.short || chosen.length < scenarios.length) return;
  await keepResult(file, `# What \`npm run ${command}\` found\n\n${table}`);
}

function shortForms(scenarios: readonly Scenario[]): Scenario[] {
  return scenarios.flatMap(({ name, runShort }) => (runShort ? [{ name, run: runShort }] : []));
}

function choose(scenarios: readonly Scenario[], names: readonly string[]): readonly Scenario[] {
  if (names.length === 0) return scenarios;
  const isNamed = (scenario: Scenario, name: string) =>
    scenario.name === name || scenario.name.startsWith(`${name}/`);
  const unknown = names.filter((name) => !scenarios.some((scenario) => isNamed(scenario, name)));
  if (unknown.length > 0) {
    const known = scenarios.map(({ name }) => name).join(', ');
    throw new Error(`There is no scenario ${unknown.join(', ')}; there are ${known}`);
  }
  return scenarios.filter((scenario) => names.some((name) => isNamed(scenario, name)));
}

/** A scenario that breaks off counts as failed; the others go on. */
async function findingsOf(scenario: Scenario, given: Given): Promise<Finding[]> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-'));
  try {
    return await scenario.run(folder, given);
  } catch (error) {
    process.exitCode = 1;
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${reason}\n`);
    const [line = ''] = reason.split('\n');
    return [{ asked: 'runs to its end', measured: `broke off: ${line}`, passed: false }];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function rowOf({ name }: Scenario, { asked, measured, passed }: Finding): string {
  const verdict = passed === undefined ? '' : passed ? 'pass' : '**fail**';
  const cells = [name, asked, measured, verdict].map((cell) => cell.replaceAll('|', '\\|'));
  return `| ${cells.join(' | ')} |`;
}
