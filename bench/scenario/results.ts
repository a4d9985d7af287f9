import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The folder of the results, relative to dist/bench/scenario, where this file is built to. */
const FOLDER = fileURLToPath(new URL('../../../bench/results/', import.meta.url));

/** Writes results to `bench/results/NAME.md`, which the README quotes. */
export async function keepResult(name: string, markdown: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await writeFile(`${FOLDER}${name}.md`, markdown);
}
