import type { Request } from 'express';
import type { Contract, Operation } from '../../../contract/document.js';
import { asRecord, type JsonRecord } from '../../../contract/json-record.js';
import { MAX_ERRORS } from '../../problems/problem.js';
import { cutName } from '../../problems/shown-text.js';
import { createAjv, withComponents } from './schemas.js';

/**
 * The most faults kept of each kind. It exceeds the number in a response, which may omit faults
 * that follow from others.
 */
const MAX_FAULTS = 2 * MAX_ERRORS;

/** The length up to which a text is never cut. */
const SHORT = 256;

/** A part of a request with enough faults to fill a response, if the request has that many. */
export interface Excerpt {
  readonly body: unknown;
  readonly query: Request['query'];
  /** True if faults were left out, in which case the request is invalid. */
  readonly isShortened: boolean;
}

/**
 * Returns a function that drops faults of a request: unknown fields and faulty items of a body, and values of a
 * parameter, after the first {@link MAX_FAULTS} of each. The validator reports every fault, at about ten
 * microseconds each, and a query of 14 KB has a thousand values with several faults each. It also tries the pattern of
 * a text that is too long, so that such a text is cut, to one that is still too long, and so are names that are too long.
 * The names of unknown fields are cut. A value with fewer faults is returned unchanged.
 */
export function takeExcerpts(
  contract: Contract,
): (operation: Pick<Operation, 'bodySchema' | 'parameters'>, body: unknown, query: Request['query']) => Excerpt {
  const compile = compileOnce(contract);
  return ({ bodySchema, parameters }, body, query) => {
    const excerpt = new RequestExcerpt(contract, compile);
    const ofBody = excerpt.of(bodySchema, body);
    const schemas = new Map(parameters.map((part) => [part['in'] === 'query' && part['name'], part['schema']]));
    const ofQuery = Object.entries(query).map(
      ([name, value]) => [name, excerpt.ofParameter(schemas.get(name), value)] as const,
    );
    const isWhole = ofQuery.every(([name, value]) => value === query[name]);
    return { body: ofBody, query: isWhole ? query : Object.fromEntries(ofQuery), isShortened: excerpt.isShortened };
  };
}

type SchemaCheck = (value: unknown) => boolean;

/** Returns a function that compiles each schema of the contract once. */
function compileOnce({ document }: Contract): (schema: unknown) => SchemaCheck {
  const ajv = createAjv({});
  const checks = new Map<unknown, SchemaCheck>();
  return (schema) => {
    const known = checks.get(schema);
    if (known) return known;
    const compiled = ajv.compile(withComponents(document, { value: schema }));
    const check: SchemaCheck = (value) => compiled({ value });
    checks.set(schema, check);
    return check;
  };
}

class RequestExcerpt {
  isShortened = false;
  #unknownFields = 0;
  #faultyItems = 0;

  constructor(
    private readonly contract: Contract,
    private readonly compile: (schema: unknown) => SchemaCheck,
  ) {}

  /** @returns the value itself, if nothing is left out */
  of(schema: unknown, value: unknown): unknown {
    if (typeof value === 'string') return this.#ofText(schema, value);
    if (typeof value !== 'object' || value === null) return value;
    const alternatives = this.contract.alternatives(schema);
    return Array.isArray(value) ? this.#ofArray(alternatives, value) : this.#ofObject(alternatives, asRecord(value));
  }

  /** @returns the value of a parameter of the query itself, if nothing is left out */
  ofParameter(schema: unknown, value: Request['query'][string]): Request['query'][string] {
    if (typeof value === 'string') return this.#ofText(schema, value);
    if (!Array.isArray(value) || value.length <= MAX_FAULTS) return value;
    this.isShortened = true;
    return value.slice(0, MAX_FAULTS);
  }

  #ofText(schema: unknown, text: string): string {
    // Shorter than most limits; most texts of a body are.
    if (text.length <= SHORT) return text;
    const limits = this.contract
      .alternatives(schema)
      .filter(({ type }) => [type].flat().includes('string'))
      .map(readLimit);
    return limits.length === 0 ? text : this.#cut(text, Math.max(...limits));
  }

  /** Cuts a text that is longer than its limit, to one that is still too long. */
  #cut(text: string, limit: number): string {
    // A limit counts characters, some of which take two code units.
    const most = 2 * (limit + 1);
    if (text.length <= most) return text;
    this.isShortened = true;
    return text.slice(0, most);
  }

  #ofArray(alternatives: readonly JsonRecord[], items: readonly unknown[]): readonly unknown[] {
    const schemas = alternatives.flatMap(({ items }) => items ?? []);
    if (schemas.length === 0) return items;
    const checks = schemas.map((schema) => this.compile(schema));
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
      ({ additionalProperties, unevaluatedProperties }) =>
        additionalProperties === false || unevaluatedProperties === false,
    );
    const longest = Math.max(...alternatives.map(({ propertyNames }) => readLimit(propertyNames)));
    const kept: [string, unknown][] = [];
    let isWhole = true;
    // Walks the names only: copying an object of ten thousand members takes longer.
    for (const name in object) {
      const isKnown = Object.hasOwn(fields, name);
      const value = object[name];
      if (isKnown) {
        const part = this.of(fields[name], value);
        kept.push([name, part]);
        isWhole &&= part === value;
      } else if (!isClosed) {
        const cut = this.#cut(name, longest);
        kept.push([cut, value]);
        isWhole &&= cut === name;
      } else if (this.#keepsUnknownField()) {
        // The validator writes a pointer with each name.
        const cut = cutName(name);
        kept.push([cut, value]);
        isWhole &&= cut === name;
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

/** Returns the most characters of a text, or of a name, by its schema. */
function readLimit(schema: unknown): number {
  return Number(asRecord(schema)['maxLength'] ?? Number.POSITIVE_INFINITY);
}
