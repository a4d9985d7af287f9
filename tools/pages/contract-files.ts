import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asRecord } from '../../contract/json-record.js';
import { partPointers } from '../../contract/parts.js';
import { escapeToken, referenceIn, targetOf, valueAt } from '../../contract/pointer.js';
import type { ContractVersion } from '../../contract/versions.js';

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

/**
 * Returns a document in which each reference is replaced by what it leads to. A schema that contains itself keeps
 * its reference to `components`, where the document has it.
 * @param document without references to other documents
 */
function dereferenced(document: unknown): unknown {
  const parts = partPointers(document);
  const open = new Set<string>();
  const members = (value: object, pointer: string): object =>
    Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, visit(member, `${pointer}/${escapeToken(key)}`)]),
    );
  const visit = (value: unknown, pointer: string): unknown => {
    if (Array.isArray(value)) return value.map((one, at) => visit(one, `${pointer}/${at}`));
    if (typeof value !== 'object' || value === null) return value;
    const reference = referenceIn(value);
    // In data, and among names, `$ref` is a name like any other.
    if (reference === undefined || !parts.has(pointer)) return members(value, pointer);
    if (open.has(reference)) return value;
    open.add(reference);
    const target = targetOf(reference);
    const referenced = asRecord(visit(valueAt(document, target), target));
    open.delete(reference);
    const { $ref: _, ...beside } = asRecord(value);
    return together(referenced, asRecord(members(beside, pointer)));
  };
  return visit(document, '');
}

/** Text beside a reference goes before that of its target; rules of a schema hold as well as those of the target. */
function together(target: object, beside: object): object {
  const names = Object.keys(beside);
  const isText = names.every((name) => TEXT.has(name) || name.startsWith('x-'));
  return isText ? { ...target, ...beside } : { ...beside, allOf: [target, ...listAll(beside)] };
}

const TEXT = new Set(['summary', 'description', 'title', 'deprecated', 'examples']);

function listAll(schema: object): unknown[] {
  const { allOf: branches } = asRecord(schema);
  return Array.isArray(branches) ? branches : [];
}
