import { randomBytes } from 'node:crypto';
import { MAX_NESTING, nestsDeeperThan } from 'roster-prediction/text';
import { asRecord, type JsonRecord } from '../../../contract/json-record.js';
import { ChatError } from './chat-error.js';
import type { ToolCall } from './messages.js';

/** A tool call, or a piece of one, with the fields that the server left out empty. */
interface PartialCall {
  readonly index: number | undefined;
  id: string;
  name: string;
  arguments: string;
}
type CallDelta = Readonly<PartialCall>;

/** The longest name, in characters. Tools have names of up to 64. */
const MAX_NAME_LENGTH = 1000;
/** Bytes that make nine hexadecimal digits, with one to spare. */
const ID_BYTES = 5;
/** The only length of identifiers that Mistral's servers accept. */
const ID_LENGTH = 9;

/**
 * Puts tool calls together from the pieces of a stream. Servers differ in what they send beside the
 * arguments: an index, an identifier, the name once or each time, or only a part of these.
 */
export class ToolCallAssembler {
  readonly #calls: PartialCall[] = [];

  constructor(private readonly maxCalls: number) {}

  /**
   * Adds a piece of a call.
   * @returns the number of bytes that are kept of it
   * @throws {ChatError} if the answer has too many calls, or one with a long name
   */
  add(value: unknown): number {
    const delta = readDelta(asRecord(value));
    const call = this.#find(delta) ?? this.#append(delta);
    if (call.id === '') call.id = delta.id;
    // Some servers repeat the name, or what they have of it, with each piece.
    call.name = delta.name.startsWith(call.name) ? delta.name : call.name + delta.name;
    if (call.name.length > MAX_NAME_LENGTH) {
      throw new ChatError(
        `The model called a tool by a name of more than ${MAX_NAME_LENGTH} characters. Ask again, or use a model that is made for tools.`,
      );
    }
    call.arguments += delta.arguments;
    return Buffer.byteLength(delta.id + delta.name + delta.arguments);
  }

  /**
   * Returns the calls in order of arrival. A missing or repeated identifier is replaced.
   * @throws {ChatError} if a call has no name
   */
  calls(): ToolCall[] {
    const ids = new Set<string>();
    return this.#calls.filter(isCall).map(({ id, name, arguments: text }) => {
      if (name === '') {
        throw new ChatError(
          'The model called a tool without its name. Ask again, or use a model that is made for tools.',
        );
      }
      const unique = id === '' || ids.has(id) ? freeId(ids) : id;
      ids.add(unique);
      return { id: unique, name, arguments: text };
    });
  }

  /** Returns the call that a piece continues; undefined if it begins a new one. */
  #find(delta: CallDelta): PartialCall | undefined {
    const { index, id } = delta;
    if (index !== undefined) {
      const last = this.#calls.findLast((call) => call.index === index);
      return last && beginsAnother(last, delta) ? undefined : last;
    }
    if (id !== '') return this.#calls.findLast((call) => call.id === id);
    return delta.name === '' ? this.#calls.at(-1) : undefined;
  }

  #append({ index }: CallDelta): PartialCall {
    if (this.#calls.length === this.maxCalls) {
      throw new ChatError(`The model called more than ${this.maxCalls} tools at once. Ask for less in one question.`);
    }
    const call = { index, id: '', name: '', arguments: '' };
    this.#calls.push(call);
    return call;
  }
}

/** Some servers give each call the same index. A new identifier alone begins no call: some send one with each piece. */
function beginsAnother(call: PartialCall, { id, name }: CallDelta): boolean {
  if (name === '' || call.name === '') return false;
  if (id !== '' && call.id !== '') return id !== call.id;
  return name !== call.name && call.arguments !== '';
}

/** Placeholders have neither a name nor arguments. */
function isCall(call: PartialCall): boolean {
  return call.name !== '' || call.arguments !== '';
}

function readDelta({ index, id, function: called }: JsonRecord): CallDelta {
  const { name, arguments: given } = asRecord(called);
  return {
    index: typeof index === 'number' ? index : undefined,
    id: asText(id),
    name: asText(name),
    arguments: typeof given === 'object' && given !== null ? writeJson(given) : asText(given),
  };
}

function writeJson(value: object): string {
  if (nestsDeeperThan(MAX_NESTING, value)) {
    throw new ChatError('The arguments of a tool call are nested too deeply. Ask again.');
  }
  return JSON.stringify(value);
}

function freeId(taken: ReadonlySet<string>): string {
  for (;;) {
    const id = randomBytes(ID_BYTES).toString('hex').slice(0, ID_LENGTH);
    if (!taken.has(id)) return id;
  }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
