/** The form that a caller wants an answer in: JSON, of a schema or of any object. */
import { isObject, type JsonRecord, parseJson } from '../../../contract/json-record.js';
import { SchemaCheck } from './schema-check.js';

/** A form as chat servers are asked for it (`response_format`). */
export type RequestedForm =
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema';
      readonly name: string;
      readonly description?: string | undefined;
      readonly schema: JsonRecord;
      readonly strict?: boolean | undefined;
    };

/** The text of an answer as JSON alone, or what is wrong with it. */
export type CheckedAnswer = { readonly text: string } | { readonly fault: string };

export class AnswerForm {
  readonly #schema: SchemaCheck | undefined;

  /** @throws {SchemaError} if the schema is not checked here */
  constructor(readonly requested: RequestedForm) {
    this.#schema = requested.type === 'json_schema' ? new SchemaCheck(requested.schema) : undefined;
  }

  /** The JSON Schema; undefined for any object. */
  get schema(): JsonRecord | undefined {
    return this.requested.type === 'json_schema' ? this.requested.schema : undefined;
  }

  /** Takes a text for JSON, also between marks of code as language models write them. */
  check(answer: string): CheckedAnswer {
    const text = withoutMarks(answer.trim());
    const value = parseJson(text);
    if (value === undefined) return { fault: 'it is not JSON' };
    const fault = this.#schema ? this.#schema.fault(value) : faultOfObject(value);
    return fault === undefined ? { text } : { fault };
  }
}

function faultOfObject(value: unknown): string | undefined {
  return isObject(value) && !Array.isArray(value) ? undefined : 'it is not a JSON object';
}

const MARK = '```';

function withoutMarks(text: string): string {
  if (!text.startsWith(MARK) || !text.endsWith(MARK) || text.length < 2 * MARK.length) return text;
  const end = text.indexOf('\n');
  return end === -1 ? text : text.slice(end + 1, -MARK.length).trim();
}
