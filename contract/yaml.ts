import {
  constructFromEvents,
  EVENT_ID,
  type Event,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  YAMLException,
} from 'js-yaml';
import { splitPointer } from './pointer.js';

/** A place in a file, counted from 1 as editors do. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A fault of the contract that stops every program that reads it. */
export interface Fault extends Place {
  /** A sentence: what is wrong, and how to fix it. */
  readonly message: string;
}

/** A file of YAML, of which it is known where each of its parts stands. A part that is missing is where it would be. */
export interface Yaml {
  readonly content: unknown;
  /**
   * Returns the place of the part at a JSON pointer. If the value of a member begins on a later line than its name,
   * returns the place of the name.
   */
  readonly locate: (pointer: string) => Place;
  /** Returns the place of the name of the member at a JSON pointer; of an element, its own. */
  readonly locateName: (pointer: string) => Place;
}

/** The file is not YAML, or not of the kind that is read. */
export class YamlError extends Error {
  constructor(
    readonly reason: string,
    readonly place: Place,
    options?: ErrorOptions,
  ) {
    super(`this is not YAML: ${reason}`, options);
  }

  get fault(): Fault {
    return { ...this.place, message: this.message };
  }
}

/**
 * Reads YAML, of the core schema.
 * @param maxExpanded the most values and characters of texts that aliases may make of it; without it, aliases are
 *   refused, because the two places of such a part could not be distinguished
 * @throws {YamlError} if it is none, or more than one document, or if its aliases make a cycle or too much
 */
export function readYaml(source: string, maxExpanded?: number): Yaml {
  const lines = [0, ...Array.from(source.matchAll(/\r\n|\r|\n/g), (end) => end.index + end[0].length)];
  const placeAt = (offset: number): Place => {
    const line = lines.findLastIndex((start) => start <= offset);
    return { line: line + 1, column: offset - (lines[line] ?? 0) + 1 };
  };
  try {
    const events = parseEvents(source, {});
    const root = new TreeBuilder(source, events, maxExpanded, placeAt).build();
    const [content] = constructFromEvents(events, { source });
    return {
      content,
      locate: (pointer) => {
        const { name, begin } = findNode(root, pointer);
        const isBelow = name !== undefined && source.slice(name, begin).includes('\n');
        return placeAt(isBelow ? name : begin);
      },
      locateName: (pointer) => {
        const { name, begin } = findNode(root, pointer);
        return placeAt(name ?? begin);
      },
    };
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    throw new YamlError(cause.reason, placeAt(cause.mark?.position ?? 0), { cause });
  }
}

/** A value of a file. */
interface Node {
  /** Its offset, its quote included. */
  readonly begin: number;
  /** The offset of its name, if it is a member. */
  readonly name?: number;
  /** Its elements or members, by the steps of a pointer. */
  readonly children?: ReadonlyMap<string, Node>;
  /** Its values and the characters of its texts, with those of aliases. */
  readonly size: number;
}

/** Returns the node at a pointer, or the last on the way to it that is there. */
function findNode(root: Node, pointer: string): Node {
  let node = root;
  for (const step of splitPointer(pointer)) {
    const next = node.children?.get(step);
    if (!next) break;
    node = next;
  }
  return node;
}

/** Builds the tree of a file, in which an alias is the value that it stands for. */
class TreeBuilder {
  #next = 0;
  readonly #anchors = new Map<string, Node | 'open'>();

  constructor(
    private readonly source: string,
    private readonly events: readonly Event[],
    private readonly maxExpanded: number | undefined,
    private readonly placeAt: (offset: number) => Place,
  ) {}

  /** @throws {YamlError} if the file is not one document */
  build(): Node {
    if (this.events.length === 0) throw this.#fault('the file is empty', 0);
    this.#next = 1;
    const root = this.#readNode(0);
    // After the end of the document.
    if (this.events[this.#next + 1] === undefined) return root;
    throw this.#fault('a second document begins; a file has one', this.source.indexOf('\n---', root.begin) + 1);
  }

  #fault(reason: string, offset: number): YamlError {
    return new YamlError(reason, this.placeAt(offset));
  }

  /** @param before the offset of what stands before, which is the place of an empty value */
  #readNode(before: number): Node {
    const event = this.events[this.#next];
    this.#next += 1;
    if (event === undefined || event.type === EVENT_ID.POP || event.type === EVENT_ID.DOCUMENT) {
      throw this.#fault('a value is missing', before);
    }
    const anchor = this.source.slice(event.anchorStart, event.anchorEnd);
    if (event.type === EVENT_ID.ALIAS) return this.#resolve(anchor, event.anchorStart - 1);
    const isAnchored = event.anchorStart >= 0;
    if (isAnchored) this.#anchors.set(anchor, 'open');
    const node = this.#readValue(event, before);
    if (node.size > (this.maxExpanded ?? Number.POSITIVE_INFINITY)) {
      throw this.#fault('aliases make too much of it', node.begin);
    }
    if (isAnchored) this.#anchors.set(anchor, node);
    return node;
  }

  #resolve(anchor: string, begin: number): Node {
    if (this.maxExpanded === undefined) {
      throw this.#fault(`*${anchor} is an alias, and none is read here; write the value out, or use $ref`, begin + 1);
    }
    const node = this.#anchors.get(anchor);
    if (node === 'open') {
      throw this.#fault(`*${anchor} stands within &${anchor}, a cycle; write the value out`, begin);
    }
    if (!node) throw this.#fault(`there is no &${anchor} before it`, begin);
    return { ...node, begin };
  }

  #readValue(event: Exclude<Event, { type: 1 | 5 | 6 }>, before: number): Node {
    if (event.type === EVENT_ID.SCALAR) {
      const begin = event.valueStart < 0 ? before : event.valueStart - Number(isQuoted(event.style));
      return { begin, size: 1 + event.valueEnd - event.valueStart };
    }
    const { start: begin } = event;
    const children = new Map<string, Node>();
    let size = 1;
    while (this.events[this.#next]?.type !== EVENT_ID.POP) {
      const [step, child] =
        event.type === EVENT_ID.SEQUENCE ? [`${children.size}`, this.#readNode(begin)] : this.#readMember(begin);
      children.set(step, child);
      size += child.size;
      if (child.name !== undefined) size += 1 + step.length;
    }
    this.#next += 1;
    return { begin, children, size };
  }

  #readMember(before: number): [step: string, member: Node] {
    const event = this.events[this.#next];
    const { begin: name } = this.#readNode(before);
    const step = event?.type === EVENT_ID.SCALAR ? getScalarValue(this.source, event) : '';
    return [step, { ...this.#readNode(name), name }];
  }
}

function isQuoted(style: number): boolean {
  return style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED;
}
