import {
  CORE_SCHEMA,
  constructFromEvents,
  dump,
  EVENT_ID,
  type Event,
  getScalarValue,
  load,
  parseEvents,
  YAMLException,
} from 'js-yaml';
import type { components } from '../../generated/openapi.js';

type Manifest = components['schemas']['Manifest'];

/** The largest file, in bytes: more than a manifest may have, for comments and indentation. */
export const MAX_FILE_BYTES = 32 * 1024 * 1024;

/** The most levels of a file, as of a body. */
const MAX_DEPTH = 100;

/** The most values and characters of texts that aliases may make of a file. */
const MAX_EXPANDED = 64 * 1024 * 1024;

const HEADER = `# The resources of a project of Roster. "roster apply" makes a project so, "roster export" wrote this file.
# No secret is here: skills name databases and MCP servers, whose secrets those who run the service keep.
`;

/**
 * Writes a manifest as YAML: as lines that people can read and compare, the same for the same manifest.
 * @throws if an entry cannot be written so that it is read again as it is
 */
export function writeProjectFile(manifest: Manifest): string {
  return HEADER + (manifest.length === 0 ? '[]\n' : manifest.map(writeEntry).join(''));
}

function writeEntry(entry: Manifest[number]): string {
  const json = JSON.stringify([entry]);
  // JSON is YAML, too, and can say what a file in UTF-8 cannot, such as half of a surrogate pair.
  for (const text of [dump([entry], { noRefs: true, lineWidth: -1 }), `- ${json.slice(1, -1)}\n`]) {
    if (!HALF_PAIR.test(text) && JSON.stringify(load(text, { schema: CORE_SCHEMA })) === json) {
      return text;
    }
  }
  throw new Error(`YAML cannot hold this entry: ${json.slice(0, 200)}`);
}

/** A file in UTF-8 cannot hold it. */
const HALF_PAIR = /\p{Surrogate}/u;

/** A fault of a file, at its place if that is known. */
export class FileError extends Error {}

/** A project file: its value as JSON, and where each part of it stands. */
export interface ProjectFile {
  readonly value: unknown;
  /**
   * Returns the place of a part, such as `project.yaml:12:7`: of a member that of its name.
   * @param tokens the keys and indices that lead to it; of a part that is missing, the place of what it is missing in
   */
  readonly locate: (tokens: readonly string[]) => string;
}

/**
 * Reads YAML, which may be JSON.
 * @param name of the file, for places
 * @throws {FileError} with the place, if it is not YAML, or not JSON's values, or its aliases make a cycle or too much
 */
export function readProjectFile(text: string, name: string): ProjectFile {
  const places = new Places(text, name);
  try {
    const events = parseEvents(text, { maxDepth: MAX_DEPTH });
    const root = new TreeBuilder(text, events, places).build();
    // A cycle would have been refused.
    const [value] = constructFromEvents(events, { source: text, schema: CORE_SCHEMA });
    const locate = (tokens: readonly string[]) => places.at(findPlace(root, tokens));
    refuseNumbers(value, [], locate, new Set());
    return { value, locate };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error;
    throw new FileError(`${mark ? places.at(mark.position) : name}: ${reason}`);
  }
}

/** The offsets of lines, by which places are told. */
class Places {
  readonly #lines: readonly number[];

  constructor(
    text: string,
    private readonly name: string,
  ) {
    this.#lines = [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map((end) => end.index + end[0].length)];
  }

  /** Returns the line and the column of an offset, each from 1. */
  at(offset: number): string {
    const next = this.#lines.findIndex((begin) => begin > offset);
    const line = next === -1 ? this.#lines.length : next;
    return `${this.name}:${line}:${offset - (this.#lines[line - 1] ?? 0) + 1}`;
  }
}

/** A value of a file. */
interface Node {
  /** Its offset. */
  readonly begin: number;
  readonly items?: readonly Node[];
  readonly members?: ReadonlyMap<string, { readonly key: number; readonly value: Node }>;
  /** Its values and the characters of its texts, with those of aliases. */
  readonly size: number;
}

/** Builds the tree of a file, in which an alias is the value that it stands for. */
class TreeBuilder {
  #next = 0;
  readonly #anchors = new Map<string, Node | 'open'>();

  constructor(
    private readonly text: string,
    private readonly events: readonly Event[],
    private readonly places: Places,
  ) {}

  /** @throws {FileError} if the file is not one document */
  build(): Node {
    if (this.events.length === 0) throw new FileError(`${this.places.at(0)}: the file is empty`);
    this.#next = 1;
    const root = this.#readNode(0);
    // After the end of the document.
    const second = this.events[this.#next + 1];
    if (second !== undefined) {
      const begin = this.text.indexOf('\n---', root.begin) + 1;
      throw new FileError(`${this.places.at(begin)}: a second document begins; a file has one`);
    }
    return root;
  }

  /** @param before the offset of what stands before, which is the place of an empty value */
  #readNode(before: number): Node {
    const event = this.events[this.#next];
    this.#next += 1;
    if (event === undefined || event.type === EVENT_ID.POP || event.type === EVENT_ID.DOCUMENT) {
      throw new FileError(`${this.places.at(before)}: a value is missing`);
    }
    const anchor = this.text.slice(event.anchorStart, event.anchorEnd);
    if (event.type === EVENT_ID.ALIAS) return this.#resolve(anchor, event.anchorStart - 1);
    const isAnchored = event.anchorStart >= 0;
    if (isAnchored) this.#anchors.set(anchor, 'open');
    const node = this.#readValue(event, before);
    if (node.size > MAX_EXPANDED) {
      throw new FileError(`${this.places.at(node.begin)}: aliases make more of it than a manifest may have`);
    }
    if (isAnchored) this.#anchors.set(anchor, node);
    return node;
  }

  #resolve(anchor: string, begin: number): Node {
    const node = this.#anchors.get(anchor);
    if (node === 'open') {
      throw new FileError(
        `${this.places.at(begin)}: *${anchor} stands within &${anchor}, a cycle; write the value out`,
      );
    }
    if (!node) throw new FileError(`${this.places.at(begin)}: there is no &${anchor} before it`);
    return { ...node, begin };
  }

  #readValue(event: Exclude<Event, { type: 1 | 5 | 6 }>, before: number): Node {
    if (event.type === EVENT_ID.SCALAR) {
      const begin = event.valueStart < 0 ? before : event.valueStart;
      return { begin, size: 1 + event.valueEnd - event.valueStart };
    }
    const { start: begin } = event;
    return event.type === EVENT_ID.SEQUENCE ? this.#readItems(begin) : this.#readMembers(begin);
  }

  #readItems(begin: number): Node {
    const items: Node[] = [];
    let size = 1;
    while (this.events[this.#next]?.type !== EVENT_ID.POP) {
      const item = this.#readNode(begin);
      items.push(item);
      size += item.size;
    }
    this.#next += 1;
    return { begin, items, size };
  }

  #readMembers(begin: number): Node {
    const members = new Map<string, { key: number; value: Node }>();
    let size = 1;
    while (this.events[this.#next]?.type !== EVENT_ID.POP) {
      const event = this.events[this.#next];
      const key = this.#readNode(begin);
      const name = event?.type === EVENT_ID.SCALAR ? getScalarValue(this.text, event) : '';
      const value = this.#readNode(key.begin);
      members.set(name, { key: key.begin, value });
      size += 1 + name.length + value.size;
    }
    this.#next += 1;
    return { begin, members, size };
  }
}

function findPlace(root: Node, tokens: readonly string[]): number {
  let node = root;
  let place = root.begin;
  for (const token of tokens) {
    const member = node.members?.get(token);
    const next = member?.value ?? node.items?.[Number(token)];
    if (!next) break;
    node = next;
    place = member?.key ?? next.begin;
  }
  return place;
}

/**
 * Refuses numbers that JSON does not have.
 * @param done the objects that aliases lead to again
 */
function refuseNumbers(
  value: unknown,
  tokens: readonly string[],
  locate: ProjectFile['locate'],
  done: Set<object>,
): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new FileError(`${locate(tokens)}: must be a number that JSON has; ${value} is not one`);
  }
  if (typeof value !== 'object' || value === null || done.has(value)) return;
  done.add(value);
  for (const [name, member] of Object.entries(value)) {
    refuseNumbers(member, [...tokens, name], locate, done);
  }
}
