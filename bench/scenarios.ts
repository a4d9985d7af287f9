import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { scriptCommand } from '../testkit/command-line.js';
import { row, table } from '../testkit/markdown-table.js';
import { keepResult, machine, minutesSince, verdict } from './report.js';

/** A requirement on the service, and the measured result. */
export interface Finding {
  /** The required figure, in words. */
  readonly asked: string;
  readonly measured: string;
  /** Undefined if no figure is required, or if it could not be measured; `measured` then gives the reason. */
  readonly passed: boolean | undefined;
  /** Fails the run also where figures of speed may be missed (`--any-speed`). */
  readonly mustHold?: true;
}

/** Something beside the built service that scenarios may use. */
export interface Given {
  /** A folder of public data, with which some scenarios measure. */
  readonly data?: string;
}

/** An experiment with the built service. */
export interface Scenario {
  /** A scenario of a family is named FAMILY/NAME. */
  readonly name: string;
  /** @param folder an empty folder of its own, removed afterwards */
  run(folder: string, given: Given): Promise<Finding[]>;
  /** Runs a form of a few seconds, if the scenario has one. */
  runShort?(folder: string, given: Given): Promise<Finding[]>;
}

/** Returns the finding that there were no faults, or their number and the first of them. */
export function none(asked: string, faults: readonly string[], ofWhat: string): Finding {
  const [first] = faults;
  const measured = first ? `${faults.length} of ${ofWhat}, the first: ${first}` : `0 of ${ofWhat}`;
  return { asked, measured, passed: faults.length === 0 };
}

/** A script of `package.json` that runs scenarios. */
export interface ScenarioScript {
  readonly name: string;
  /** One sentence. */
  readonly description: string;
  /** The name of the kept table, without its extension. */
  readonly file: string;
  readonly scenarios: readonly Scenario[];
  /** The cores of the processes, where the scenarios choose them. */
  readonly placing?: string;
}

interface Options {
  readonly anySpeed?: true;
  readonly short?: true;
  readonly data?: string;
}

/**
 * Runs the scenarios that the command line names, or all of them, one after the other. Prints a table of their
 * findings, and keeps it if all scenarios ran in their long form. Linux only.
 */
export async function runScenarios(script: ScenarioScript): Promise<void> {
  const names = script.scenarios.map(({ name }) => `  ${name}`).join('\n');
  const command = scriptCommand(script.name, script.description)
    .argument('[scenarios...]', 'only these; the first part of a name stands for its family')
    .option('--short', 'run the scenarios that have a short form, in that form')
    .option('--any-speed', 'exit with 0 although figures of speed are missed')
    .option('--data <folder>', 'public data, with which some scenarios measure')
    .addHelpText('after', `\nExits with 1 if a figure is missed. The scenarios are:\n${names}`);
  await command
    .action(async (wanted: readonly string[], options: Options) => {
      const playable = options.short ? shortForms(script.scenarios) : script.scenarios;
      const unknown = wanted.filter((name) => !playable.some(isNamed(name)));
      if (unknown.length > 0) {
        const known = playable.map(({ name }) => name).join(', ');
        command.error(`error: There is no scenario ${unknown.join(', ')}; there are ${known}.`);
      }
      const isChosen = (scenario: Scenario) => wanted.some((name) => isNamed(name)(scenario));
      await runAll(script, wanted.length === 0 ? playable : playable.filter(isChosen), options);
    })
    .parseAsync();
}

async function runAll(
  script: ScenarioScript,
  chosen: readonly Scenario[],
  { anySpeed, short, data }: Options,
): Promise<void> {
  const rows: string[][] = [];
  const given = data === undefined ? {} : { data: resolve(data) };
  const begun = performance.now();
  for (const scenario of chosen) {
    process.stderr.write(`${scenario.name} …\n`);
    for (const finding of await findingsOf(scenario, given)) {
      if (finding.passed === false && (finding.mustHold || !anySpeed)) process.exitCode = 1;
      const { asked, measured, passed } = finding;
      rows.push([scenario.name, asked, measured, verdict(passed)]);
      process.stderr.write(`  ${row(rows.at(-1) ?? [])}\n`);
    }
  }
  const where = [machine(), script.placing].filter((text) => text !== undefined).join(': ');
  const head = ['scenario', 'asked for', 'measured', ''];
  const text = `${where}; ${minutesSince(begun)}\n\n${table(head, rows)}\n`;
  process.stdout.write(text);
  // Only complete runs in the long form are kept.
  if (short || chosen.length < script.scenarios.length) return;
  await keepResult(script.file, script.name, text);
}

function shortForms(scenarios: readonly Scenario[]): Scenario[] {
  return scenarios.flatMap(({ name, runShort }) => (runShort ? [{ name, run: runShort }] : []));
}

function isNamed(name: string): (scenario: Scenario) => boolean {
  return (scenario) => scenario.name === name || scenario.name.startsWith(`${name}/`);
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
