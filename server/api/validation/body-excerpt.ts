import type { Contract } from '../../contract/document.js';
import { asRecord, type JsonRecord } from '../../contract/json-record.js';
import { MAX_ERRORS } from '../../problems/problem.js';
import type { schemaCheck } from './fast-check.js';

/**
 * The most faults kept of each kind. It exceeds the number in a response, which may omit faults
 * that follow from others.
 */
export const MAX_FAULTS = 2 * MAX_ERRORS;

/** A part of a body with enough faults to fill a response, if the body has that many. */
export interface BodyExcerpt {
  readonly body: unknown;
  /** Whether faults were left out, in which case the body is invalid. */
  readonly isShortened: boolean;
}

/**
 * Returns a function that drops unknown fields and faulty items of a body after the first {@link
 * MAX_FAULTS} of each. The validator reports every fault, at about ten microseconds each. A body
 * with fewer faults is returned unchanged.
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

  /** @returns the value itself, if nothing is left out */
  of(schema: unknown, value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    const alternatives = this.contract.alternatives(schema);
    return Array.isArray(value)
      ? this.#ofArray(alternatives, value)
      : this.#ofObject(alternatives, asRecord(value));
  }

  #ofArray(alternatives: readonly JsonRecord[], items: readonly unknown[]): readonly unknown[] {
    const schemas = alternatives.flatMap(({ items }) => items ?? []);
    if (schemas.length === 0) return items;
    const checks = schemas.map((schema) => this.checkOf(schema));
    const kept: unknown[] = [];
    for (const item of items) {
      if (checks.some((isSound) => isSound(item))) {
        kept.push(item);
        continue;
      }
      if (this.#faultyItems === MAX_FAULTS) {
        this.isShortened = true;
        return kept;
      }
      this.#faultyItems += 1;
      kept.push(this.of({ oneOf: schemas }, item));
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
    // Walks the names only: copying an object of ten thousand members takes longer.
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
