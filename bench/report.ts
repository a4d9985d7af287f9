import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

/** The folder of the results, relative to dist/bench, where this file is built to. */
const FOLDER = fileURLToPath(new URL('../../bench/results/', import.meta.url));

/** Returns a line about the machine of the measurement. */
export function machine(): string {
  const memory = (totalmem() / 2 ** 30).toFixed(0);
  return `${cpus().length} × ${cpus()[0]?.model}, ${memory} GiB, Node ${process.version}; the load runs on the same machine`;
}

/** Returns the word for whether a figure is kept; none if it is not judged. */
export function verdict(passed: boolean | undefined): string {
  return passed === undefined ? '' : passed ? 'pass' : '**fail**';
}

/** Returns the minutes since a time of `performance.now()`. */
export function minutesSince(begun: number): string {
  return `${((performance.now() - begun) / 60_000).toFixed(1)} minutes`;
}

/** Writes what a script found to `bench/results/NAME.md`, which the documentation quotes. */
export async function keepResult(name: string, script: string, text: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await writeFile(`${FOLDER}${name}.md`, `# What \`npm run ${script}\` found\n\n${text}`);
}
