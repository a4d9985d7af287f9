import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { machine } from './machine.js';
import { keepResult } from './results.js';
import type { Finding, Scenario } from './scenario.js';

/**
 * Plays the scenarios that the command line names, or all of them, one after the other, and prints one
 * table of what they found, which is kept where all were played. The exit code is 1 if a figure was
 * missed, or with `--any-speed` only if a scenario broke off. Linux only.
 *
 * @param command what the table is called by: `npm run COMMAND`
 * @param file the name of the table that is kept, without its ending
 */
export async function runScenarios(
  command: string,
  file: string,
  scenarios: readonly Scenario[],
): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'any-speed': { type: 'boolean', default: false } },
  });
  const chosen = choose(scenarios, positionals);
  const rows: string[] = [];
  const begun = performance.now();
  for (const scenario of chosen) {
    process.stderr.write(`${scenario.name} …\n`);
    for (const finding of await findingsOf(scenario)) {
      if (finding.passed === false && !values['any-speed']) process.exitCode = 1;
      rows.push(rowOf(scenario, finding));
      process.stderr.write(`  ${rows.at(-1)}\n`);
    }
  }
  const minutes = ((performance.now() - begun) / 60_000).toFixed(1);
  const table = `${machine()}; ${minutes} minutes

| scenario | asked for | measured | |
|---|---|---|---|
${rows.join('\n')}
`;
  process.stdout.write(table);
  // A part of the scenarios is no result.
  if (chosen.length < scenarios.length) return;
  await keepResult(file, `# What \`npm run ${command}\` found\n\n${table}`);
}

function choose(scenarios: readonly Scenario[], names: readonly string[]): readonly Scenario[] {
  const unknown = names.filter((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown.length > 0) {
    const known = scenarios.map(({ name }) => name).join(', ');
    throw new Error(`There is no scenario ${unknown.join(', ')}; there are ${known}`);
  }
  return names.length === 0 ? scenarios : scenarios.filter(({ name }) => names.includes(name));
}

/** One that breaks off is one that failed: the others go on. */
async function findingsOf(scenario: Scenario): Promise<Finding[]> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-'));
  try {
    return await scenario.run(folder);
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
