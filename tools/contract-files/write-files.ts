import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dereferenced } from './dereference.js';
import type { ContractVersion } from './versions.js';

/** The list of the versions beside their files. */
const INDEX = 'versions.json';

/**
 * Writes the files of all versions into a folder: `1.4.0.yaml`, `1.4.0.json` and `1.4.0.dereferenced.json`, and a list
 * of the versions. A file is either written whole or left as it was. Other files of the folder are deleted.
 */
export function writeContractFiles(folder: string, versions: readonly ContractVersion[]): void {
  mkdirSync(folder, { recursive: true });
  const written = new Set([INDEX]);
  const write = (name: string, text: string) => {
    writeWhole(join(folder, name), text);
    written.add(name);
  };
  for (const { version, source, document } of versions) {
    write(`${version}.yaml`, source);
    write(`${version}.json`, JSON.stringify(document));
    write(`${version}.dereferenced.json`, JSON.stringify(dereferenced(document)));
  }
  const list = versions.map(({ version, isReleased }) => ({ version, isReleased }));
  writeWhole(join(folder, INDEX), JSON.stringify(list));
  for (const name of readdirSync(folder)) {
    if (!written.has(name)) rmSync(join(folder, name));
  }
}

function writeWhole(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, text);
  renameSync(temporary, path);
}
