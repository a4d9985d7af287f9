import { escapeToken } from '../../../server/contract/json-pointer.js';
import { asRecord, type JsonRecord } from '../../../server/contract/json-record.js';
import { referenced } from './references.js';

/** A version of the contract whose references all resolve. */
export class Contract {
  readonly version: string;
  private readonly pointers = new Map<unknown, string>();
  private readonly copies = new Map<JsonRecord, Map<string, JsonRecord>>();

  /** @param text the file that the document was read from. */
  constructor(
    readonly document: JsonRecord & { info: { version: string } },
    readonly text: string,
  ) {
    this.version = document.info.version;
    this.note(document, '');
  }

  /** Returns a component, such as a response or a parameter, and follows a reference. */
  resolve(node: unknown): JsonRecord {
    const { $ref } = asRecord(node);
    return typeof $ref === 'string' ? this.resolve(this.target($ref)) : asRecord(node);
  }

  /** Returns the target of a reference. */
  target(reference: string): unknown {
    return referenced(this.document, reference);
  }

  /** Returns the JSON pointer to a part of the document. */
  pointerOf(part: unknown): string {
    return this.pointers.get(part) ?? '';
  }

  /** Returns a schema without one of its keywords: always the same object, at the same place. */
  without(schema: JsonRecord, keyword: string): JsonRecord {
    const copies = this.copies.get(schema) ?? new Map<string, JsonRecord>();
    this.copies.set(schema, copies);
    const { [keyword]: _, ...rest } = schema;
    const copy = copies.get(keyword) ?? rest;
    copies.set(keyword, copy);
    this.pointers.set(copy, this.pointerOf(schema));
    return copy;
  }

  private note(node: unknown, pointer: string): void {
    if (typeof node !== 'object' || node === null || this.pointers.has(node)) return;
    this.pointers.set(node, pointer);
    for (const [key, child] of Object.entries(node)) {
      this.note(child, `${pointer}/${escapeToken(key)}`);
    }
  }
}

/** Returns an object's own member: `constructor` is a name like any other. */
export function member(record: unknown, name: string): unknown {
  return Object.hasOwn(asRecord(record), name) ? asRecord(record)[name] : undefined;
}

/** Returns the members of an object; empty for any other value. */
export function members(record: unknown): [string, unknown][] {
  return Array.isArray(record) ? [] : Object.entries(asRecord(record));
}

/** Returns the elements of an array; empty for any other value. */
export function elements(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the texts among the elements of an array. */
export function texts(value: unknown): string[] {
  return elements(value).filter((element) => typeof element === 'string');
}
