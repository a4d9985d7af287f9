/** Items and tools of Open Responses, in the form of the chat client. */

import type { components } from '../../generated/openapi.js';
import type { CallerTool } from '../agents/tools/tool.js';
import { omitNulls } from '../api/idempotency.js';
import { type FieldError, invalidRequest } from '../problems/problem.js';
import { defineTool } from './messages.js';
import { type ReadMessages, readText, Transcript } from './transcript.js';

type Schemas = components['schemas'];
type Body = Schemas['OpenaiResponseBody'];
type OutputItem = Schemas['OpenaiOutputItem'];
type SentItem = Schemas['OpenaiInputItem'];

/** An item without nulls, which count as not sent. */
export type InputItem = {
  readonly [Field in keyof SentItem]: Exclude<SentItem[Field], null> | undefined;
};

function listItems(input: Body['input']): readonly InputItem[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : input.map(omitNulls);
}

/** Returns the items of a body without what is not read: history of other servers can be large. */
export function keepRead(input: Body['input']): InputItem[] {
  return listItems(input).flatMap((item): InputItem[] => {
    const { type = 'message', role, content, call_id, name, arguments: text, output } = item;
    const read = { type, role, content, call_id, name, arguments: text, output };
    return READ_TYPES.has(type) ? [read] : [];
  });
}

const READ_TYPES: ReadonlySet<SentItem['type']> = new Set(['message', 'function_call', 'function_call_output']);

/** Returns items of an answer as they would be sent, without what is not read. */
export function toInput(output: readonly OutputItem[]): InputItem[] {
  return output.flatMap((item): InputItem[] => {
    if (item.type === 'roster:tool_call') return [];
    const { type } = item;
    if (type === 'function_call') {
      const { call_id, name, arguments: text } = item;
      return [{ type, call_id, name, arguments: text }];
    }
    const [{ text } = { text: '' }] = item.content;
    return text === '' ? [] : [{ role: item.role, content: text }];
  });
}

/**
 * Reads the items of a body.
 * @param earlier those of the responses that it continues
 * @throws {ProblemError} if an item lacks what its kind needs, or the last one is neither a question nor a result
 */
export function readItems(earlier: readonly InputItem[], input: Body['input']): ReadMessages {
  const transcript = new Transcript();
  const own = listItems(input);
  for (const item of earlier) readItem(transcript, item, { pointer: '/body/input', isWhole: true });
  const isWhole = typeof input === 'string';
  for (const [index, item] of own.entries()) {
    const pointer = isWhole ? '/body/input' : `/body/input/${index}`;
    if (earlier.length > 0 && (item.role === 'assistant' || item.type === 'function_call')) {
      const message =
        'must be left out: the agent said it, and previous_response_id stands for all before; send what is new';
      throw invalidRequest([{ pointer, message }]);
    }
    readItem(transcript, item, { pointer, isWhole });
  }
  const message = "must end with a message of the role 'user' or a function_call_output, which is answered";
  return transcript.finish({ pointer: '/body/input', message });
}

interface ItemPlace {
  readonly pointer: string;
  /** True if the place stands for all fields of the item. */
  readonly isWhole: boolean;
}

function readItem(transcript: Transcript, item: InputItem, { pointer, isWhole }: ItemPlace): void {
  const { type = 'message' } = item;
  const at = (field: string) => (isWhole ? pointer : `${pointer}/${field}`);
  if (type === 'message') readMessage(transcript, item, at);
  else if (type === 'function_call') readCall(transcript, item, at);
  else if (type === 'function_call_output') readOutput(transcript, item, at);
}

/** Returns the place of a field of an item. */
type FieldPointer = (field: string) => string;

function readMessage(transcript: Transcript, { role, content }: InputItem, at: FieldPointer): void {
  if (role === undefined) throw missing(at('role'), 'message');
  if (role === 'assistant') transcript.recall(readText(content, at('content')));
  else if (content === undefined) throw missing(at('content'), 'message');
  else if (role === 'user') transcript.ask(content, at('content'));
  else transcript.instruct(readText(content, at('content')));
}

function readCall(transcript: Transcript, { call_id: id, name, arguments: text }: InputItem, at: FieldPointer): void {
  if (id === undefined) throw missing(at('call_id'), 'function_call');
  if (name === undefined) throw missing(at('name'), 'function_call');
  if (text === undefined) throw missing(at('arguments'), 'function_call');
  transcript.call([{ id, name, arguments: text }], (open): FieldError => {
    const message = `must have a function_call_output in the items after it; "${open}" has none`;
    return { pointer: at('call_id'), message };
  });
}

function readOutput(transcript: Transcript, { call_id: id, output }: InputItem, at: FieldPointer): void {
  if (output === undefined) throw missing(at('output'), 'function_call_output');
  const message = 'must be the call_id of a function_call before it, which has no output yet';
  transcript.answer(id, readText(output, at('output')), { pointer: at('call_id'), message });
}

function missing(pointer: string, type: string) {
  return invalidRequest([{ pointer, message: `must be there: the item is of the type '${type}'` }]);
}

export function readFunctionTools(tools: Body['tools']): CallerTool[] {
  return (tools ?? []).map((tool, index) => ({ ...defineTool(tool), pointer: `/body/tools/${index}/name` }));
}
