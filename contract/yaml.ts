import { constructFromEvents, EVENT_ID, getScalarValue, parseEvents, SCALAR_STYLE, YAMLException } from 'js-yaml';
import { escapeToken } from './pointer.js';

/** Something of the contract that stops whoever works from it. */
export interface Fault {
  /** A sentence: what is wrong, and how to fix it. */
  readonly message: string;
  /** The place in the file, counted from 1 as editors do. */
  readonly line: number;
  readonly column: number;
}

type Event = ReturnType<typeof parseEvents>[number];

/** A file of YAML, of which it is known where each of its parts stands. */
export interface Yaml {
  readonly content: unknown;
  /** Returns the place of the part at a JSON pointer, or of what it would stand in. */
  readonly locate: (pointer: string) => Pick<Fault, 'line' | 'column'>;
}

/** The file is not YAML. */
export class YamlError extends Error {
  constructor(
    readonly fault: Fault,
    options: ErrorOptions,
  ) {
    super(fault.message, options);
  }
}

/**
 * Reads YAML without aliases: a part that stands in two places could not be told apart.
 * @throws {YamlError} if it is none, or more than one document
 */
export function readYaml(source: string): Yaml {
  try {
    const events = parseEvents(source, {});
    const documents = constructFromEvents(events, { source, maxAliases: 0 });
    if (documents.length !== 1) {
      throw new YAMLException(
        documents.length === 0 ? 'the file is empty' : `it holds ${documents.length} documents, and not one`,
      );
    }
    const offsets = findOffsets(source, events);
    const lines = [0, ...Array.from(source.matchAll(/\n/g), ({ index }) => index + 1)];
    const locate = (pointer: string) => {
      let known = pointer;
      while (known !== '' && !offsets.has(known)) known = known.slice(0, known.lastIndexOf('/'));
      const offset = offsets.get(known) ?? 0;
      const line = lines.findLastIndex((start) => start <= offset);
      return { line: line + 1, column: offset - (lines[line] ?? 0) + 1 };
    };
    return { content: documents[0], locate };
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    const { line = 0, column = 0 } = cause.mark ?? {};
    const message = `this is not YAML: ${cause.reason}`;
    throw new YamlError({ message, line: line + 1, column: column + 1 }, { cause });
  }
}

/** Returns the place where each part begins, by its pointer: at its value, or at its key where the value is further down. */
function findOffsets(source: string, events: readonly Event[]): Map<string, number> {
  const offsets = new Map<string, number>();
  const rest = events[Symbol.iterator]();
  const next = (): Event | undefined => {
    const { value } = rest.next();
    return value?.type === EVENT_ID.POP ? undefined : value;
  };
  const note = (event: Event, pointer: string, key?: Event): void => {
    offsets.set(pointer, beginning(source, event, key));
    if (event.type === EVENT_ID.SEQUENCE) {
      let index = 0;
      for (let item = next(); item; item = next()) note(item, `${pointer}/${index++}`);
    }
    if (event.type === EVENT_ID.MAPPING) {
      for (let name = next(); name; name = next()) {
        const member = `${pointer}/${escapeToken(readText(source, name))}`;
        const value = next();
        if (value) note(value, member, name);
      }
    }
  };
  next(); // The document itself.
  const root = next();
  if (root) note(root, '');
  return offsets;
}

function readText(source: string, event: Event): string {
  return event.type === EVENT_ID.SCALAR ? getScalarValue(source, event) : '';
}

function beginning(source: string, event: Event, key: Event | undefined): number {
  const value = findOffset(event);
  if (key === undefined) return Math.max(value, 0);
  const name = findOffset(key);
  return value < 0 || source.slice(name, value).includes('\n') ? name : value;
}

/** Returns the place where an event begins, its quote included; negative for a value that is left out. */
function findOffset(event: Event): number {
  switch (event.type) {
    case EVENT_ID.SCALAR:
      return isQuoted(event.style) ? event.valueStart - 1 : event.valueStart;
    case EVENT_ID.MAPPING:
    case EVENT_ID.SEQUENCE:
      return event.start;
    default:
      return -1;
  }
}

function isQuoted(style: number): boolean {
  return style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED;
}
