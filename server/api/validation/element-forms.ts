import type { Contract } from '../../contract/document.js';
import { escapeToken } from '../../contract/json-pointer.js';
import { asRecord, type JsonRecord } from '../../contract/json-record.js';
import type { FieldError } from '../../problems/problem.js';

/** The faults of a body with an array whose elements have one of several forms. */
export interface FormFaults {
  /** The element of another form than the first, or of no form. */
  readonly errors: readonly FieldError[];
  /** Returns whether the fault at a pointer is about a form that the caller does not use. */
  readonly explains: (pointer: string) => boolean;
  /** Returns whether the field at a pointer is one of the form that the caller uses. */
  readonly isKnown: (pointer: string) => boolean;
}

/**
 * Reads which form the caller uses, where a field is a choice of arrays with a message
 * (`x-roster-message`). The validator reports the faults of every form.
 */
export function formFaults(contract: Contract, schema: unknown, body: unknown): FormFaults[] {
  return contract.alternatives(schema).flatMap(({ properties }) =>
    Object.entries(asRecord(properties)).flatMap(([field, choice]) => {
      const [whole, ...branches] = contract.alternatives(choice);
      const words = whole?.['x-roster-message'];
      const elements = asRecord(body)[field];
      if (typeof words !== 'string' || !Array.isArray(elements)) return [];
      const forms = branches.flatMap(({ items }) => contract.alternatives(items).slice(0, 1));
      const found = faultsOf(elements, forms, { place: `/body/${escapeToken(field)}`, words });
      return found ? [found] : [];
    }),
  );
}

/** A field of the body, and the message about the forms of its elements. */
interface Field {
  readonly place: string;
  readonly words: string;
}

function faultsOf(
  elements: readonly unknown[],
  forms: readonly JsonRecord[],
  { place, words }: Field,
): FormFaults | undefined {
  const isWithin = (pointer: string) => pointer.startsWith(`${place}/`);
  const used = elements.map((element) => formOf(element, forms));
  const [first] = used;
  const other = used.findIndex((form) => form === undefined || form !== first);
  if (other >= 0) {
    return {
      errors: [{ pointer: `${place}/${other}`, message: words }],
      explains: isWithin,
      isKnown: isWithin,
    };
  }
  if (first === undefined) return undefined;
  const own = fieldsOf(first);
  const others = forms.flatMap(fieldsOf).filter((name) => !own.includes(name));
  return {
    errors: [],
    explains: (pointer) => isWithin(pointer) && others.includes(fieldAt(pointer)),
    isKnown: (pointer) => isWithin(pointer) && own.includes(fieldAt(pointer)),
  };
}

/** Returns the only form that has any of the fields of an element. */
function formOf(element: unknown, forms: readonly JsonRecord[]): JsonRecord | undefined {
  const names = Object.keys(asRecord(element));
  const [form, ...further] = forms.filter((one) =>
    fieldsOf(one).some((field) => names.includes(field)),
  );
  return further.length === 0 ? form : undefined;
}

function fieldAt(pointer: string): string {
  return pointer.slice(pointer.lastIndexOf('/') + 1);
}

function fieldsOf({ properties }: JsonRecord): string[] {
  return Object.keys(asRecord(properties));
}
