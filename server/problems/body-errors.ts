import type { Contract } from '../contract/document.js';
import { escapeToken } from '../contract/json-pointer.js';
import { asRecord, type JsonRecord } from '../contract/json-record.js';
import type { FieldError } from './problem.js';

/** A fault of the form of a whole body; faults of single fields follow from it. */
export interface ShapeFault {
  readonly error: FieldError;
  /** Whether the fault at a pointer says nothing more. */
  readonly explains: (pointer: string) => boolean;
}

/** Finds what is wrong with the form of a whole body, if its schema asks for another and has words for it. */
export function shapeFault(
  contract: Contract,
  schema: unknown,
  body: unknown,
): ShapeFault | undefined {
  return noBranchFits(contract, schema, body) ?? notWrapped(contract, schema, body);
}

/** A choice has words of its own for what is none of its branches, not even a faulty one. */
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

/** Whether a value is of a branch's type, and has the fields by which the branch is known. */
function isMeant({ type, required }: JsonRecord, value: unknown): boolean {
  const fields = Array.isArray(required) ? required.map(String) : [];
  return type === typeOf(value) && fields.every((field) => Object.hasOwn(asRecord(value), field));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Made when it is needed: what it knows of languages takes a while to load. */
const listed = (words: readonly string[]) => new Intl.ListFormat('en-GB').format(words);

/** The fields of a resource were sent without the field that they belong inside. */
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
