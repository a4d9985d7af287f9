/** Answers of agents in the form of Open Responses. */
import type { components } from '../../generated/openapi.js';
import type { Answer, AnswerStream } from '../agents/answer-stream.js';
import type { ToolCall } from '../agents/chat/messages.js';
import type { Prediction } from '../agents/tools/tool.js';
import { DONE, type ServerEvent } from '../api/reply/send.js';
import { type AnswerPart, type FailureOptions, readParts, readTokens, writeFailure } from './answer-parts.js';

type Schemas = components['schemas'];
export type Response = Schemas['OpenaiResponse'];
type OutputItem = Schemas['OpenaiOutputItem'];
type OutputText = Schemas['OpenaiOutputText'];
type Event = Schemas['OpenaiResponseEvent'];
type Unnumbered<E> = E extends unknown ? Omit<E, 'sequence_number'> : never;
/** An event without its place in the stream. */
type NewEvent = Unnumbered<Event>;
type Phase = NonNullable<Schemas['OpenaiOutputMessage']['phase']>;
type Action = Extract<AnswerPart, { actions: unknown }>['actions'][number];
type ToolStep = Extract<AnswerPart, { steps: unknown }>['steps'][number];

/** Returns a response that begins. @param facts what is known of it before */
export function beginResponse(
  facts: Pick<
    Response,
    | 'id'
    | 'created_at'
    | 'model'
    | 'previous_response_id'
    | 'instructions'
    | 'tools'
    | 'tool_choice'
    | 'temperature'
    | 'max_output_tokens'
    | 'store'
    | 'metadata'
  > &
    Partial<Pick<Response, 'text'>>,
): Response {
  return {
    object: 'response',
    status: 'in_progress',
    completed_at: null,
    output: [],
    incomplete_details: null,
    error: null,
    usage: null,
    background: false,
    truncation: 'disabled',
    parallel_tool_calls: true,
    text: { format: { type: 'text' } },
    top_p: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    top_logprobs: 0,
    reasoning: null,
    max_tool_calls: null,
    service_tier: 'default',
    safety_identifier: null,
    prompt_cache_key: null,
    ...facts,
  };
}

/** Keeps a complete response if that was asked for, and returns it with whether it is kept. */
export type KeepResponse = (response: Response) => Promise<Response>;

/** Waits for an answer, and returns it whole. @param begun from `beginResponse` */
export async function writeResponse(stream: AnswerStream, begun: Response, keep: KeepResponse): Promise<Response> {
  const output = new OutputWriter(begun.id);
  for await (const _ of output.events(stream)) {
    // The items are the answer.
  }
  return keep(output.complete(begun));
}

/** Returns the events of a streamed response. It never throws: the last two events before the end report a failure. */
export async function* streamResponse(
  stream: AnswerStream,
  begun: Response,
  keep: KeepResponse,
  failure: FailureOptions,
): AsyncGenerator<ServerEvent, void> {
  let count = 0;
  const numbered = <E extends NewEvent>(event: E) => ({ ...event, sequence_number: count++ });
  const output = new OutputWriter(begun.id);
  yield numbered({ type: 'response.created', response: begun });
  yield numbered({ type: 'response.in_progress', response: begun });
  try {
    for await (const event of output.events(stream)) yield numbered(event);
    const response = await keep(output.complete(begun));
    yield numbered({ type: output.isCut ? 'response.incomplete' : 'response.completed', response });
  } catch (thrown) {
    const error = writeFailure(thrown, failure);
    yield numbered({ type: 'error', error });
    const { code, message } = error;
    const failed = { ...begun, status: 'failed' as const, store: false, output: output.items };
    yield numbered({ type: 'response.failed', response: { ...failed, error: { code, message } } });
  }
  yield DONE;
}

/** Makes the items of an answer, and the events that report them. One item is written at a time. */
class OutputWriter {
  /** Those that are complete. */
  readonly items: OutputItem[] = [];
  /** The text of the message that is being written. */
  #text: string | undefined;
  /** The tools that are used one after the other, the one in use first. */
  #actions: readonly Action[] = [];
  #answer: Answer | undefined;

  constructor(private readonly responseId: string) {}

  /** True if the answer ended at a bound of tokens. */
  get isCut(): boolean {
    return this.#answer?.isCut === true;
  }

  /** Follows an answer to its end. */
  async *events(stream: AnswerStream): AsyncGenerator<NewEvent, void> {
    const answer = yield* readParts(stream, (part) => this.#write(part));
    this.#answer = answer;
    const isFinal = answer.toolCalls.length === 0;
    yield* this.#endMessage(isFinal ? 'final_answer' : 'commentary', answer);
    for (const call of answer.toolCalls) yield* this.#callFunction(call);
  }

  complete(begun: Response): Response {
    const tokens = this.#answer && readTokens(this.#answer);
    const end = this.isCut
      ? { status: 'incomplete' as const, incomplete_details: { reason: 'max_output_tokens' as const } }
      : { status: 'completed' as const, completed_at: Math.floor(Date.now() / 1000) };
    return {
      ...begun,
      ...end,
      output: this.items,
      usage: tokens
        ? {
            input_tokens: tokens.prompt_tokens,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens: tokens.completion_tokens,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: tokens.total_tokens,
          }
        : null,
    };
  }

  *#write(part: AnswerPart): Generator<NewEvent> {
    if ('text' in part) yield* this.#addText(part.text);
    else if ('actions' in part) {
      yield* this.#endMessage('commentary');
      this.#actions = part.actions;
      yield* this.#beginUse();
    } else for (const step of part.steps) yield* this.#endUse(step);
  }

  *#addText(delta: string): Generator<NewEvent> {
    if (this.#text === undefined) {
      this.#text = '';
      yield this.#added({ ...this.#message('in_progress'), content: [] });
      yield { type: 'response.content_part.added', ...this.#at(), part: writeText('') };
    }
    this.#text += delta;
    yield { type: 'response.output_text.delta', ...this.#at(), delta, logprobs: [] };
  }

  *#endMessage(phase: Phase, answer?: Answer): Generator<NewEvent> {
    const text = this.#text;
    if (text === undefined) return;
    this.#text = undefined;
    const annotations = answer ? annotate(text, answer.predictions) : [];
    const at = this.#at();
    for (const [annotation_index, annotation] of annotations.entries()) {
      const type = 'response.output_text.annotation.added';
      yield { type, ...at, annotation_index, annotation };
    }
    const part = { ...writeText(text), annotations };
    yield { type: 'response.output_text.done', ...at, text, logprobs: [] };
    yield { type: 'response.content_part.done', ...at, part };
    const status = answer?.isCut ? 'incomplete' : 'completed';
    yield this.#done({ ...this.#message(status), phase, content: [part] });
  }

  *#beginUse(): Generator<NewEvent> {
    const [action] = this.#actions;
    if (action) yield this.#added(this.#use(action, undefined));
  }

  /** Reports the end of a use. A tool that cannot be used has no beginning. */
  *#endUse(step: ToolStep): Generator<NewEvent> {
    if (this.#actions.length === 0) yield this.#added(this.#use(step.action, undefined));
    yield this.#done(this.#use(step.action, step));
    this.#actions = this.#actions.slice(1);
    yield* this.#beginUse();
  }

  *#callFunction({ id: call_id, name, arguments: text }: ToolCall): Generator<NewEvent> {
    const { item_id, output_index } = this.#at('fc');
    const item = { type: 'function_call' as const, id: item_id, call_id, name };
    const at = { item_id, output_index };
    yield this.#added({ ...item, status: 'in_progress', arguments: '' });
    yield { type: 'response.function_call_arguments.delta', ...at, delta: text };
    yield { type: 'response.function_call_arguments.done', ...at, arguments: text };
    yield this.#done({ ...item, status: 'completed', arguments: text });
  }

  #added(item: OutputItem): NewEvent {
    return { type: 'response.output_item.added', output_index: this.items.length, item };
  }

  #done(item: OutputItem): NewEvent {
    const output_index = this.items.length;
    this.items.push(item);
    return { type: 'response.output_item.done', output_index, item };
  }

  /** Returns the place of the item that is being written. */
  #at(kind = 'msg') {
    const output_index = this.items.length;
    const item_id = `${this.responseId.replace('resp', kind)}_${output_index}`;
    return { item_id, output_index, content_index: 0 as const };
  }

  #message(status: Schemas['OpenaiItemStatus']) {
    const { item_id: id } = this.#at();
    return { type: 'message' as const, id, status, role: 'assistant' as const };
  }

  /** @param end undefined while the tool is used */
  #use({ tool, tool_input: input }: Action, end: ToolStep | undefined): OutputItem {
    const { error = null, milliseconds = null, observation } = end ?? {};
    const status = end ? (error === null ? 'completed' : 'failed') : 'in_progress';
    const result = end && error === null ? (observation ?? null) : null;
    const { item_id: id } = this.#at('tool');
    return { type: 'roster:tool_call', id, status, tool, input, result, error, milliseconds };
  }
}

function writeText(text: string): OutputText {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

type Annotation = components['schemas']['OpenaiPrediction'];

/** As many as a text may have. */
const MAX_ANNOTATIONS = 100;

/** The most characters of a text that are searched for predictions: each prediction is compared with each number. */
const MAX_READ = 20_000;

/** Returns each prediction with the place of its number or class in the beginning of a text, or of the whole text. */
function annotate(text: string, predictions: readonly Prediction[]): Annotation[] {
  const some = predictions.slice(0, MAX_ANNOTATIONS);
  const beginning = text.slice(0, MAX_READ);
  const numbers = some.some(({ value }) => value !== undefined) ? readNumbers(beginning) : [];
  return some.map((prediction) => {
    const { value, class: name } = prediction;
    const at = name === undefined ? findNumber(numbers, value) : findText(beginning, name);
    const { start = 0, end = text.length } = at ?? {};
    return { type: 'roster:prediction', start_index: start, end_index: end, ...prediction };
  });
}

interface Place {
  readonly start: number;
  readonly end: number;
}

interface WrittenNumber extends Place {
  readonly value: number;
  /** Half of what its last digit that counts is worth. */
  readonly tolerance: number;
}

const NUMBER = /[-\u2212]?\d+(?:[,\u00a0\u202f]\d{3})*(?:\.\d+)?/g;

/** Reads the numbers of a text. The zeros of `2,700` may be rounded. */
function readNumbers(text: string): WrittenNumber[] {
  return Array.from(text.matchAll(NUMBER), ({ 0: written, index: start }) => {
    const plain = written.replace('\u2212', '-').replace(/[,\u00a0\u202f]/g, '');
    const [, decimals = ''] = plain.split('.');
    const digits = plain.replace('-', '');
    // Two digits count at least, so that 10 is not 14.
    const zeros = decimals === '' ? countEndZeros(digits.slice(2)) : 0;
    const tolerance = 10 ** (zeros - decimals.length) / 2;
    return { start, end: start + written.length, value: Number(plain), tolerance };
  });
}

function countEndZeros(digits: string): number {
  let count = 0;
  while (digits.at(-1 - count) === '0') count += 1;
  return count;
}

function findNumber(numbers: readonly WrittenNumber[], value = Number.NaN): Place | undefined {
  return numbers.find((number) => Math.abs(number.value - value) <= number.tolerance);
}

function findText(text: string, name: string): Place | undefined {
  const start = name === '' ? -1 : text.indexOf(name);
  return start < 0 ? undefined : { start, end: start + name.length };
}
