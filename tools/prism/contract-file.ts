import { type FSWatcher, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { builtDocument } from '../../server/contract/document.js';
import { ContractError } from '../../server/contract/document-schema.js';
import { documentOf } from '../generator/check/index.js';

/** The time for which a file must rest before it is read: an editor may write it in several steps. */
const REST_MS = 100;

/**
 * Reads the contract.
 * @throws {ContractError} if there is no such file
 */
export async function readContract(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ContractError(`${file} cannot be read: ${reason}`);
  }
}

/**
 * Returns the document of a contract. The one of the last build was checked then.
 * @throws {ContractError} with a line for each fault
 */
export function checkedDocument(contract: string): object {
  return builtDocument(contract) ?? documentOf(contract, { handlers: undefined });
}

/**
 * Calls a function now, and after each change of a file, also if the file is deleted or replaced. Calls follow one
 * another: a change during a call leads to another call.
 */
export function watchFile(file: string, onChange: () => Promise<void>): FSWatcher {
  let rest: NodeJS.Timeout | undefined;
  let last = onChange();
  // The folder, since many editors put a new file in the place of the old one.
  return watch(dirname(file), (_, name) => {
    if (name !== basename(file)) return;
    clearTimeout(rest);
    rest = setTimeout(() => {
      last = last.then(onChange);
    }, REST_MS);
  });
}
