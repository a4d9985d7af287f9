import { posix } from 'node:path';
import { asRecord, type JsonRecord } from '../../contract/json-record.js';
import { listParts, type Part } from '../../contract/parts.js';
import { referenceIn, writePointer } from '../../contract/pointer.js';

/** Returns the texts of files, by their paths relative to the contract's folder; undefined where there is none. */
export type ReadFiles = (paths: readonly string[]) => readonly (string | undefined)[];

/** A reference to another file that cannot be followed. */
export interface LostReference {
  readonly pointer: string;
  readonly reference: string;
  readonly reason: string;
}

/** The member of a document under which the files that it refers to are kept, by their paths. */
const FILES = 'x-files';

/** Bounds of what a contract may be made of: a reference is a line, and a file may be long. */
const MAX_FILES = 5000;
const MAX_CHARACTERS = 64 * 1024 * 1024;

/**
 * Joins a document with the files that it refers to: each becomes a member of `x-files`, and the references lead
 * there. Nothing is fetched: an address is no file.
 * @param document the document, which is changed
 * @param load parses the text of a file; it gets the path for its error messages
 * @returns the first reference that cannot be followed, if any
 */
export function joinFiles(
  document: JsonRecord,
  read: ReadFiles,
  load: (text: string, path: string) => unknown,
): LostReference | undefined {
  const files: Record<string, unknown> = {};
  let characters = 0;
  let found = redirect(document, '');
  // The files that those of the round before refer to are read together: a commit is asked once a round.
  while (found.length > 0) {
    const lost = found.find(({ reason }) => reason !== '');
    if (lost) return lost;
    const byPath = new Map(found.filter(({ path }) => !Object.hasOwn(files, path)).map((link) => [link.path, link]));
    const links = [...byPath.values()];
    const texts = read(links.map(({ path }) => path));
    found = links.flatMap((link, index) => {
      const { path } = link;
      const text = texts[index];
      if (text === undefined) return [{ ...link, reason: MISSING }];
      characters += text.length;
      if (characters > MAX_CHARACTERS || Object.keys(files).length >= MAX_FILES) return [{ ...link, reason: TOO_MUCH }];
      const content = load(text, path);
      // A file may be called `__proto__`.
      Object.defineProperty(files, path, { value: content, enumerable: true });
      return redirect(content, path);
    });
  }
  if (Object.keys(files).length > 0) Reflect.set(document, FILES, files);
  return undefined;
}

const MISSING = 'leads to a file that does not exist, or is outside the repository';
const TOO_MUCH = `is one too many: a contract has at most ${MAX_FILES} files and ${MAX_CHARACTERS} characters`;

/** A reference to a file. */
interface Link extends LostReference {
  /** The path of the file, relative to the contract's folder. */
  readonly path: string;
}

function rootOf(content: unknown): Part {
  const value = asRecord(content);
  return { kind: 'openapi' in value ? 'document' : 'other', pointer: '', value };
}

/**
 * Lets the references of one file lead to the members of `x-files` that their targets become.
 * @returns the references to files, also those that lead to an address, with the reason against them
 */
function redirect(content: unknown, path: string): Link[] {
  const root = rootOf(content);
  const at = path === '' ? '' : writePointer([FILES, path]);
  const seen = new Set<JsonRecord>();
  return listParts(root.value, { roots: [root] }).flatMap(({ pointer, value }) => {
    const reference = referenceIn(value);
    // An alias of YAML is the same object at two places.
    if (reference === undefined || seen.has(value)) return [];
    seen.add(value);
    const [file = '', fragment = ''] = reference.split('#', 2);
    if (file === '' && path === '') return [];
    const target = file === '' ? path : posix.join(posix.dirname(path), decoded(file));
    Reflect.set(value, '$ref', `#${writePointer([FILES, target])}${fragment}`);
    if (file === '') return [];
    const isAddress = /^[a-z][a-z\d+.-]*:|^\/\//i.test(file);
    const reason = isAddress ? 'leads to an address, and nothing is fetched' : '';
    return [{ pointer: `${at}${pointer}/$ref`, reference, path: target, reason }];
  });
}

function decoded(file: string): string {
  try {
    return decodeURI(file);
  } catch {
    return file;
  }
}
