import { escapeToken } from '../../../server/contract/json-pointer.js';
import { asRecord, type JsonRecord } from '../../../server/contract/json-record.js';
import { referenced } from './references.js';

/** A version of the contract, whose references have all been found to lead somewhere. */
export class Contract {
  readonly version: string;
  private readonly pointers = new Map<unknown, string>();
  private readonly copies = new Map<JsonRecord, Map<string, JsonRecord>>();

  constructor(readonly document: JsonRecord & { info: { version: string } }) {
    this.version = document.info.version;
    this.note(document, '');
  }

  /** A component, response, parameter or the like; where it is a reference, what that leads to. */
  resolve(node: unknown): JsonRecord {
    const { $ref } = asRecord(node);
    return typeof $ref === 'string' ? this.resolve(this.target($ref)) : asRecord(node);
  }

  /** What a reference leads to. */
  target(reference: string): unknown {
    return referenced(this.document, reference);
  }

  /** Where a part of the document stands, as a JSON pointer. */
  pointerOf(part: unknown): string {
    return this.pointers.get(part) ?? '';
  }

  /** A schema without one of its keywords: the same object each time, at the same place. */
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

/** The member of this name that an object has itself: `constructor` is a name like any other. */
export function member(record: unknown, name: string): unknown {
  return Object.hasOwn(asRecord(record), name) ? asRecord(record)[name] : undefined;
}

/** The members of an object; anything else has none. */
export function members(record: unknown): [string, unknown][] {
  return Array.isArray(record) ? [] : Object.entries(asRecord(record));
}

/** The elements of an array; anything else has none. */
export function elements(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The texts among the elements of an array. */
export function texts(value: unknown): string[] {
  return elements(value).filter((element) => typeof element === 'string');
}
