import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Writes generated files, or only compares them with those that are there.
 * @param files the texts, by path
 * @returns the paths of those that were not up to date
 */
export function writeGenerated(
  files: Iterable<readonly [file: string, text: string]>,
  { compare }: { readonly compare: boolean },
): string[] {
  const stale = [...files].filter(([file, text]) => !existsSync(file) || readFileSync(file, 'utf8') !== text);
  for (const [file, text] of compare ? [] : stale) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return stale.map(([file]) => file);
}
