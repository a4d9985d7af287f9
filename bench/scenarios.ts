import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scriptCommand } from '../testkit/command-line.js';
import { row, table } from '../testkit/markdown-table.js';
import { root } from '../testkit/root.js';

/** A requirement on the service, and the measured result. */
export interface Finding {
  /** The required figure, in words. */
  readonly asked: string;
  readonly measured: string;
  /** Left out if no figure is required, or if it could not be measured; `measured` then gives the reason. */
  readonly passed?: boolean | undefined;
  /** Fails the run also where figures of speed may be missed (`--any-speed`). */
  readonly mustHold?: true;
}

export interface Given {
  /** A separate empty folder, removed afterwards. */
  readonly folder: string;
  /** True for the form of a few seconds. */
  readonly isShort: boolean;
  /** A folder of public data, with which some scenarios measure. */
  readonly data?: string;
}

/** An experiment with the built service. */
export interface Scenario {
  /** A scenario of a family is named FAMILY/NAME. */
  readonly name: string;
  readonly hasShort?: boolean;
  run(given: Given): Promise<Finding[]>;
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
  /** The longest time of a scenario, in minutes, after which it is broken off; none by default. */
  readonly longest?: number;
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
      const playable = script.scenarios.filter(({ hasShort }) => hasShort || !options.short);
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
  const given = { isShort: short === true, ...(data !== undefined && { data: resolve(data) }) };
  const begun = performance.now();
  for (const scenario of chosen) {
    process.stderr.write(`${scenario.name} …\n`);
    for (const { asked, measured, passed, mustHold } of await runScenario(script, scenario, given)) {
      const cells = [scenario.name, asked, measured, verdict(passed, !mustHold && anySpeed)];
      rows.push(cells);
      process.stderr.write(`  ${row(cells)}\n`);
    }
  }
  const where = [machine(), script.placing].filter((text) => text !== undefined).join(': ');
  const head = ['scenario', 'asked for', 'measured', ''];
  const text = `${where}; ${minutesSince(begun)}\n\n${table(head, rows)}\n`;
  // Only complete runs in the long form are kept.
  const isWhole = !short && chosen.length === script.scenarios.length;
  await publish(text, isWhole ? script : undefined);
  // A scenario that did not end in time may still run.
  if (script.longest !== undefined) process.exit();
}

function isNamed(name: string): (scenario: Scenario) => boolean {
  return (scenario) => scenario.name === name || scenario.name.startsWith(`${name}/`);
}

/** A scenario that breaks off, or does not end, counts as failed; the others go on. */
async function runScenario(
  { longest }: ScenarioScript,
  scenario: Scenario,
  given: Omit<Given, 'folder'>,
): Promise<Finding[]> {
  let deadline: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    if (longest === undefined) return;
    const end = () => reject(new Error(`it took longer than ${longest} minutes`));
    deadline = setTimeout(end, longest * 60_000);
  });
  try {
    return await Promise.race([withFolder((folder) => scenario.run({ ...given, folder })), late]);
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${reason}\n`);
    const [line = ''] = reason.split('\n');
    return [{ asked: 'runs to its end', measured: `broke off: ${line}`, passed: false, mustHold: true }];
  } finally {
    clearTimeout(deadline);
  }
}

/** Makes an empty folder for some work, and removes it afterwards. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function machine(): string {
  const memory = (totalmem() / 2 ** 30).toFixed(0);
  return `${cpus().length} × ${cpus()[0]?.model}, ${memory} GiB, Node ${process.version}; the load runs on the same machine`;
}

/** Returns the minutes since a time of `performance.now()`. */
export function minutesSince(begun: number): string {
  return `${((performance.now() - begun) / 60_000).toFixed(1)} minutes`;
}

/**
 * Returns the word for whether a figure is kept; none if it is not judged. A missed one fails the run, unless it may
 * be missed.
 */
export function verdict(passed: boolean | undefined, mayMiss = false): string {
  if (passed === false && !mayMiss) process.exitCode = 1;
  return passed === undefined ? '' : passed ? 'pass' : '**fail**';
}

/** Prints what was found, and writes it to `bench/results/`, which the documentation quotes, if it is to be kept. */
export async function publish(text: string, kept?: { file: string; name: string }): Promise<void> {
  process.stdout.write(text);
  if (!kept) return;
  const folder = fileURLToPath(new URL('bench/results/', root));
  await mkdir(folder, { recursive: true });
  const title = `# What \`npm run ${kept.name}\` found`;
  await writeFile(join(folder, `${kept.file}.md`), `${title}\n\n${text}`);
}
