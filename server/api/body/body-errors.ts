import type { Contract } from '../../contract/document.js';
import { escapeToken } from '../../contract/json-pointer.js';
import { asRecord, type JsonRecord } from '../../contract/json-record.js';
import type { FieldError } from '../../problems/problem.js';

/** A fault in the shape of a whole body, from which faults of single fields follow. */
export interface ShapeFault {
  readonly error: FieldError;
  /** Returns whether the fault at a pointer follows from this one. */
  readonly explains: (pointer: string) => boolean;
}

/** Finds a fault in the shape of a whole body, if its schema has a message for it. */
export function shapeFault(
  contract: Contract,
  schema: unknown,
  body: unknown,
): ShapeFault | undefined {
  return noBranchFits(contract, schema, body) ?? notWrapped(contract, schema, body);
}

/** Returns the message of a `oneOf` if a body resembles none of its branches. */
function noBranchFits(contract: Contract, schema: unknown, body: unknown): ShapeFault | undefined {
  const [choice, ...branches] = contract.alternatives(schema);
  const words = choice?.['x-roster-message'];
  if (typeof words !== 'string' || branches.some((branch) => isMeant(branch, body))) {
    return undefined;
  }
  return {
    error: { pointer: '/body', message: words },
    explains: (pointer) => /^\/body(\/|$)/.test(pointer),
  };
}

/** Returns whether a value has a branch's type and its required fields. */
function isMeant({ type, required }: JsonRecord, value: unknown): boolean {
  const fields = Array.isArray(required) ? required.map(String) : [];
  return type === typeOf(value) && fields.every((field) => Object.hasOwn(asRecord(value), field));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Created on demand: Intl.ListFormat takes a while to load. */
const listed = (words: readonly string[]) => new Intl.ListFormat('en-GB').format(words);

/** Detects the fields of a resource that were sent without the wrapping field. */
function notWrapped(contract: Contract, schema: unknown, body: unknown): ShapeFault | undefined {
  if (typeOf(body) !== 'object') return undefined;
  const sent = Object.keys(asRecord(body));
  for (const { required, properties } of contract.alternatives(schema)) {
    const [wrapper] = Array.isArray(required) ? required.map(String) : [];
    if (wrapper === undefined || sent.includes(wrapper)) continue;
    const inside = contract
      .alternatives(asRecord(properties)[wrapper])
      .flatMap(({ properties: fields }) => Object.keys(asRecord(fields)));
    const stray = sent.filter((field) => inside.includes(field));
    if (stray.length === 0) continue;
    const belong = stray.length === 1 ? 'belongs' : 'belong';
    const pointers = [wrapper, ...stray].map((field) => `/body/${escapeToken(field)}`);
    return {
      error: {
        pointer: '/body',
        message: `must be wrapped: {"${wrapper}": {…}}; ${listed(stray)} ${belong} inside`,
      },
      explains: (pointer) => pointers.includes(pointer),
    };
  }
  return undefined;
}
