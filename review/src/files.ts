import { posix } from 'node:path';
import { asRecord, type JsonRecord } from '../../contract/json-record.js';
import { listParts, type Part } from '../../contract/parts.js';
import { referenceIn, writePointer } from '../../contract/pointer.js';

/** Returns the text of a file, by its path relative to the contract's folder; undefined if there is none. */
export type ReadFile = (path: string) => string | undefined;

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
  read: ReadFile,
  load: (text: string, path: string) => unknown,
): LostReference | undefined {
  const files: Record<string, unknown> = {};
  let characters = 0;
  const add = (path: string): string | undefined => {
    if (Object.hasOwn(files, path)) return undefined;
    const text = read(path);
    if (text === undefined) return 'leads to a file that does not exist, or is outside the repository';
    characters += text.length;
    if (characters > MAX_CHARACTERS || Object.keys(files).length >= MAX_FILES) {
      return `is one too many: a contract has at most ${MAX_FILES} files and ${MAX_CHARACTERS} characters`;
    }
    // A file may be called `__proto__`.
    Object.defineProperty(files, path, { value: load(text, path), enumerable: true });
    waiting.push(path);
    return undefined;
  };
  const waiting: string[] = [];
  const lost = redirect(rootOf(document), '', add);
  if (lost) return lost;
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const inner = redirect(rootOf(files[path]), path, add);
    if (inner) return { ...inner, pointer: `${writePointer([FILES, path])}${inner.pointer}` };
  }
  if (Object.keys(files).length > 0) Reflect.set(document, FILES, files);
  return undefined;
}

function rootOf(content: unknown): Part {
  const value = asRecord(content);
  return { kind: 'openapi' in value ? 'document' : 'other', pointer: '', value };
}

/** Lets the references of one file lead to the member of `x-files` that its target becomes. */
function redirect(root: Part, path: string, add: (path: string) => string | undefined): LostReference | undefined {
  const seen = new Set<JsonRecord>();
  for (const { pointer, value } of listParts(root.value, { roots: [root] })) {
    const reference = referenceIn(value);
    // An alias of YAML is the same object at two places.
    if (reference === undefined || seen.has(value)) continue;
    seen.add(value);
    const [file = '', fragment = ''] = reference.split('#', 2);
    if (file === '' && path === '') continue;
    const target = file === '' ? path : posix.join(posix.dirname(path), decoded(file));
    const reason = /^[a-z][a-z\d+.-]*:|^\/\//i.test(file) ? 'leads to an address, and nothing is fetched' : add(target);
    if (reason) return { pointer: `${pointer}/$ref`, reference, reason };
    Reflect.set(value, '$ref', `#${writePointer([FILES, target])}${fragment}`);
  }
  return undefined;
}

function decoded(file: string): string {
  try {
    return decodeURI(file);
  } catch {
    return file;
  }
}
