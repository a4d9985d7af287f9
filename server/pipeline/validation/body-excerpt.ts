import type { Contract } from '../../contract/document.js';
import { asRecord, type JsonRecord } from '../../contract/json-record.js';
import { MAX_ERRORS } from '../../problems/problem.js';
import type { schemaCheck } from './fast-check.js';

/** Faults that are kept of each kind: some may be left out of the answer, as they follow from others. */
export const MAX_FAULTS = 2 * MAX_ERRORS;

/** A part of a body that has at least as many faults as an answer names, if the body has. */
export interface BodyExcerpt {
  readonly body: unknown;
  /** Whether faults were left out: the body is not as the contract wants it. */
  readonly isShortened: boolean;
}

/**
 * Returns a function that leaves out unknown fields and faulty items of a body, beyond the first
 * {@link MAX_FAULTS} of each. The validator reports every fault, and each costs it some ten microseconds.
 * A body with fewer faults is returned as it is.
 */
export function excerptOfBodies(
  contract: Contract,
  checkOf: ReturnType<typeof schemaCheck>,
): (schema: unknown, body: unknown) => BodyExcerpt {
  return (schema, body) => {
    const excerpt = new Excerpt(contract, checkOf);
    return { body: excerpt.of(schema, body), isShortened: excerpt.isShortened };
  };
}

class Excerpt {
  isShortened = false;
  #unknownFields = 0;
  #faultyItems = 0;

  constructor(
    private readonly contract: Contract,
    private readonly checkOf: ReturnType<typeof schemaCheck>,
  ) {}

  /** @returns the value itself, if nothing is left out of it */
  of(schema: unknown, value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    const alternatives = this.contract.alternatives(schema);
    return Array.isArray(value)
      ? this.#ofArray(alternatives, value)
      : this.#ofObject(alternatives, asRecord(value));
  }

  #ofArray(alternatives: readonly JsonRecord[], items: readonly unknown[]): readonly unknown[] {
    const [schema] = alternatives.flatMap(({ items }) => items ?? []);
    if (schema === undefined) return items;
    const isSound = this.checkOf(schema);
    const kept: unknown[] = [];
    for (const item of items) {
      if (!isSound(item)) {
        if (this.#faultyItems === MAX_FAULTS) {
          this.isShortened = true;
          return kept;
        }
        this.#faultyItems += 1;
      }
      kept.push(this.of(schema, item));
    }
    return kept.some((item, index) => item !== items[index]) ? kept : items;
  }

  #ofObject(alternatives: readonly JsonRecord[], object: JsonRecord): JsonRecord {
    const fields = asRecord(Object.assign({}, ...alternatives.map(({ properties }) => properties)));
    const isClosed = alternatives.some(
      ({ additionalProperties }) => additionalProperties === false,
    );
    const kept: [string, unknown][] = [];
    let isWhole = true;
    // Its names alone: an object of ten thousand members takes longer to copy than to walk.
    for (const name in object) {
      const isKnown = Object.hasOwn(fields, name);
      if (isKnown || !isClosed || this.#keepsUnknownField()) {
        const value = object[name];
        const part = isKnown ? this.of(fields[name], value) : value;
        kept.push([name, part]);
        isWhole &&= part === value;
      } else isWhole = false;
    }
    return isWhole ? object : Object.fromEntries(kept);
  }

  #keepsUnknownField(): boolean {
    if (this.#unknownFields === MAX_FAULTS) this.isShortened = true;
    else this.#unknownFields += 1;
    return !this.isShortened;
  }
}
