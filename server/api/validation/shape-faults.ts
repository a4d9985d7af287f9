import type { Contract } from '../../../contract/document.js';
import { asRecord, type JsonRecord } from '../../../contract/json-record.js';
import { escapeToken } from '../../../contract/pointer.js';
import type { FieldError } from '../../problems/problem.js';

/** A fault in the shape of a whole body, from which faults of single fields follow. */
interface ShapeFault {
  readonly error: FieldError;
  /** Returns whether the fault at a pointer follows from this one. */
  readonly explains: (pointer: string) => boolean;
}

/** Finds a fault in the shape of a whole body, if its schema has a message for it. */
export function findShapeFault(contract: Contract, schema: unknown, body: unknown): ShapeFault | undefined {
  return noBranchFits(contract, schema, body) ?? notWrapped(contract, schema, body);
}

/** Returns the message of a `oneOf` if a body resembles none of its branches. */
function noBranchFits(contract: Contract, schema: unknown, body: unknown): ShapeFault | undefined {
  const [choice, ...branches] = contract.alternatives(schema);
  const message = choice?.['x-roster-message'];
  if (typeof message !== 'string' || branches.some((branch) => isMeant(branch, body))) {
    return undefined;
  }
  return { error: { pointer: '/body', message }, explains: (pointer) => /^\/body(\/|$)/.test(pointer) };
}

/** Returns whether a value has a branch's type and its required fields. */
function isMeant({ type, required }: JsonRecord, value: unknown): boolean {
  const fields = Array.isArray(required) ? required.map(String) : [];
  return type === nameType(value) && fields.every((field) => Object.hasOwn(asRecord(value), field));
}

function nameType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Detects the fields of a resource that were sent without the wrapping field. */
function notWrapped(contract: Contract, schema: unknown, body: unknown): ShapeFault | undefined {
  if (nameType(body) !== 'object') return undefined;
  const sent = Object.keys(asRecord(body));
  for (const { required, properties } of contract.alternatives(schema)) {
    const [wrapper] = Array.isArray(required) ? required.map(String) : [];
    if (wrapper === undefined || sent.includes(wrapper)) continue;
    const inside = contract.alternatives(asRecord(properties)[wrapper]).flatMap(listFields);
    const stray = sent.filter((field) => inside.includes(field));
    if (stray.length === 0) continue;
    // Created on demand: Intl.ListFormat takes a while to load.
    const names = new Intl.ListFormat('en-GB').format(stray);
    const belong = stray.length === 1 ? 'belongs' : 'belong';
    const pointers = [wrapper, ...stray].map((field) => `/body/${escapeToken(field)}`);
    return {
      error: { pointer: '/body', message: `must be wrapped: {"${wrapper}": {…}}; ${names} ${belong} inside` },
      explains: (pointer) => pointers.includes(pointer),
    };
  }
  return undefined;
}

/** The faults of an array whose elements have one of several forms. */
export interface FormFaults {
  /** The element of another form than the first, or of no form. */
  readonly errors: readonly FieldError[];
  /** Returns whether a fault is about a form that the caller does not use. */
  readonly explains: (pointer: string, keyword: string) => boolean;
}

/**
 * Reads which form the caller uses, where a field is a choice of arrays with a message (`x-roster-message`). The
 * validator reports the faults of every form, and the fields of each as unknown to the others.
 */
export function findFormFaults(contract: Contract, schema: unknown, body: unknown): FormFaults[] {
  return contract.alternatives(schema).flatMap(({ properties }) =>
    Object.entries(asRecord(properties)).flatMap(([field, choice]) => {
      const [whole, ...branches] = contract.alternatives(choice);
      const message = whole?.['x-roster-message'];
      const elements = asRecord(body)[field];
      if (typeof message !== 'string' || !Array.isArray(elements)) return [];
      const forms = branches.flatMap(({ items }) => contract.alternatives(items).slice(0, 1));
      return compareForms(elements, forms, `/body/${escapeToken(field)}`, message);
    }),
  );
}

/** @param place the pointer to the array */
function compareForms(
  elements: readonly unknown[],
  forms: readonly JsonRecord[],
  place: string,
  message: string,
): FormFaults[] {
  const isWithin = (pointer: string) => pointer.startsWith(`${place}/`);
  const used = elements.map((element) => findForm(element, forms));
  const [first] = used;
  const other = used.findIndex((form) => form === undefined || form !== first);
  if (other >= 0) {
    return [{ errors: [{ pointer: `${place}/${other}`, message }], explains: isWithin }];
  }
  if (first === undefined) return [];
  const own = listFields(first);
  const others = forms.flatMap(listFields).filter((name) => !own.includes(name));
  const explains = (pointer: string, keyword: string) => {
    const field = pointer.slice(pointer.lastIndexOf('/') + 1);
    const isKnown = keyword === 'additionalProperties' && own.includes(field);
    return isWithin(pointer) && (isKnown || others.includes(field));
  };
  return [{ errors: [], explains }];
}

/** Returns the only form that has any of the fields of an element. */
function findForm(element: unknown, forms: readonly JsonRecord[]): JsonRecord | undefined {
  const names = Object.keys(asRecord(element));
  const [form, ...further] = forms.filter((one) => listFields(one).some((field) => names.includes(field)));
  return further.length === 0 ? form : undefined;
}

function listFields({ properties }: JsonRecord): string[] {
  return Object.keys(asRecord(properties));
}
