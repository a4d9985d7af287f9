import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** This file is built to dist/harness, two folders below the top of the project. */
const FOLDER = fileURLToPath(new URL('../../../bench/results/', import.meta.url));

/** Keeps what was measured where the README quotes it from: `bench/results/NAME.md`. */
export async function keepResult(name: string, markdown: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await writeFile(`${FOLDER}${name}.md`, markdown);
}
