import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machine } from '../harness/machine.js';
import { keepResult } from '../harness/results.js';
import type { Finding, Scenario } from './scenario.js';
import { scenarios } from './scenarios/index.js';

/**
 * Does to the service what time does to all services, and tells whether it kept its word. Writes one table;
 * the exit code is 1 if a figure was missed. Linux only.
 *
 * usage: npm run chaos [-- SCENARIO …]
 */
const chosen = choose(process.argv.slice(2));
const rows: string[] = [];
let failed = false;
const begun = performance.now();
for (const scenario of chosen) {
  process.stderr.write(`${scenario.name} …\n`);
  for (const finding of await findingsOf(scenario)) {
    if (finding.passed === false) failed = true;
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
if (chosen.length === scenarios.length) {
  await keepResult('chaos', `# What \`npm run chaos\` found\n\n${table}`);
}
process.exitCode = failed ? 1 : 0;

function choose(names: readonly string[]): readonly Scenario[] {
  const unknown = names.filter((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown.length > 0) {
    const known = scenarios.map(({ name }) => name).join(', ');
    throw new Error(`There is no scenario ${unknown.join(', ')}; there are ${known}`);
  }
  return names.length === 0 ? scenarios : scenarios.filter(({ name }) => names.includes(name));
}

/** One that breaks off is one that failed: the others go on. */
async function findingsOf(scenario: Scenario): Promise<Finding[]> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-chaos-'));
  try {
    return await scenario.run(folder);
  } catch (error) {
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
