/** The form of an answer that clients of OpenAI's API ask for (structured outputs). */
import { asRecord } from '../../contract/json-record.js';
import type { components } from '../../generated/openapi.js';
import { AnswerForm } from '../agents/form/answer-form.js';
import { SchemaError } from '../agents/form/schema-parts.js';
import { invalidRequest } from '../problems/problem.js';

type Schemas = components['schemas'];

/**
 * Reads the form of a chat completion.
 * @returns undefined for any text
 * @throws {ProblemError} if it has no schema, or one that answers are not checked against
 */
export function readChatForm(format: Schemas['ChatCompletionBody']['response_format']): AnswerForm | undefined {
  const pointer = '/body/response_format';
  if (format?.type !== 'json_schema') return readPlainForm(format?.type);
  return readForm(format.json_schema, `${pointer}/json_schema`);
}

/** Reads the form of a response, as `readChatForm`. */
export function readResponseForm(text: Schemas['OpenaiResponseBody']['text']): AnswerForm | undefined {
  const format = text?.format;
  return format?.type === 'json_schema' ? readForm(format, '/body/text/format') : readPlainForm(format?.type);
}

/** Returns the form as a response repeats it. */
export function writeForm(form: AnswerForm | undefined): Schemas['OpenaiResponse']['text']['format'] {
  if (!form) return { type: 'text' };
  const { requested } = form;
  if (requested.type === 'json_object') return requested;
  const { description = null, strict = null, ...known } = requested;
  return { ...known, schema: { ...known.schema }, description, strict };
}

function readPlainForm(type: string | undefined): AnswerForm | undefined {
  return type === 'json_object' ? new AnswerForm({ type }) : undefined;
}

function readForm(sent: Partial<Schemas['OpenaiForm']> | null | undefined, pointer: string): AnswerForm {
  const { name, schema, description, strict } = sent ?? {};
  if (typeof name !== 'string') throw missing(`${pointer}/name`, 'a name');
  if (schema === undefined || schema === null) throw missing(`${pointer}/schema`, 'a JSON Schema');
  const optional = { description: description ?? undefined, strict: strict ?? undefined };
  try {
    return new AnswerForm({ type: 'json_schema', name, schema: asRecord(schema), ...optional });
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    throw invalidRequest([{ pointer: `${pointer}/schema${error.pointer}`, message: error.message }]);
  }
}

function missing(pointer: string, what: string) {
  return invalidRequest([{ pointer, message: `must be ${what}: the answer is to be of the type 'json_schema'` }]);
}
