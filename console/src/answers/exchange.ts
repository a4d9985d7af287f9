import type { AgentEvent, Message, Passage, Step, Usage } from 'roster-client';

/** The use of a tool: what it was asked and, once it has ended, what it gave. */
export interface ToolUse {
  readonly tool: string;
  readonly input: unknown;
  /** The end of the use; null while the tool runs. */
  readonly end: { readonly output: string; readonly isError: boolean; readonly milliseconds: number } | null;
}

/** A part of an answer before its text: a remark, or the use of a tool. */
export type Part = { readonly kind: 'remark'; readonly text: string } | { readonly kind: 'use'; readonly use: ToolUse };

/** A question and its answer, as far as it has arrived. */
export interface Exchange {
  /** Identifies it in the page, and its question in a conversation (`Idempotency-Key`). */
  readonly id: string;
  /** The question; null for a greeting. */
  readonly question: string | null;
  /** The identifier of the question, once a conversation keeps it. */
  readonly messageId: string | undefined;
  readonly state: 'answering' | 'answered' | 'failed' | 'stopped';
  readonly parts: readonly Part[];
  readonly text: string;
  readonly passages: readonly Passage[];
  readonly usage: Usage | null;
  /** The reason of the failure, if it is known. */
  readonly error: unknown;
}

const KEY_BYTES = 16;

/** Creates an exchange whose answer has not begun. */
export function newExchange(question: string): Exchange {
  // Not crypto.randomUUID, which exists only on pages from HTTPS or localhost.
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  const id = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return begun({ ...EMPTY, id, question, messageId: undefined });
}

const EMPTY = { parts: [], text: '', passages: [], usage: null, error: null } as const;

/** Returns an exchange whose question is asked anew. */
export const begun = (exchange: Pick<Exchange, 'id' | 'question' | 'messageId'>): Exchange => ({
  ...exchange,
  ...EMPTY,
  state: 'answering',
});

/** Returns an exchange after an event of its answer. */
export function afterEvent(exchange: Exchange, event: AgentEvent): Exchange {
  const { parts, text } = exchange;
  if ('actions' in event) {
    const remarks: Part[] = text.trim() ? [{ kind: 'remark', text }] : [];
    const uses = event.actions.map(({ tool, tool_input: input }) => toUse({ tool, input, end: null }));
    return { ...exchange, parts: [...parts, ...remarks, ...uses], text: '' };
  }
  if ('steps' in event) {
    const ended = event.steps.reduce((before, { action, observation, error, milliseconds }) => {
      const end = { output: error ?? observation, isError: error !== null, milliseconds };
      return withUse(before, { tool: action.tool, input: action.tool_input, end });
    }, parts);
    return { ...exchange, parts: ended };
  }
  if ('output' in event) return { ...exchange, state: 'answered', text: event.output, usage: event.usage };
  switch (event.type) {
    case 'start':
      return { ...exchange, messageId: event.message_id };
    case 'delta':
      return { ...exchange, text: text + event.content };
    case 'context':
      return { ...exchange, passages: event.content };
    case 'error':
      return { ...exchange, state: 'failed', error: new Error(event.content) };
    case 'end':
      return exchange;
  }
}

const toUse = (use: ToolUse): Part => ({ kind: 'use', use });

/** Puts an ended use in the place of the running one that it ends, or else at the end. */
function withUse(parts: readonly Part[], use: ToolUse): readonly Part[] {
  const input = JSON.stringify(use.input);
  const index = parts.findIndex(
    (part) =>
      part.kind === 'use' &&
      part.use.end === null &&
      part.use.tool === use.tool &&
      JSON.stringify(part.use.input) === input,
  );
  return index < 0 ? [...parts, toUse(use)] : parts.with(index, toUse(use));
}

/** Returns the exchanges of a conversation. A question without a reply counts as failed. */
export function groupExchanges(messages: readonly Message[]): readonly Exchange[] {
  const replies = new Map(messages.map((message) => [message.reply_to, message]));
  return messages
    .filter(({ role, reply_to }) => role === 'user' || reply_to === null)
    .map((message) => {
      const isQuestion = message.role === 'user';
      const answer = isQuestion ? replies.get(message.id) : message;
      return {
        ...EMPTY,
        id: message.id,
        question: isQuestion ? message.content : null,
        messageId: isQuestion ? message.id : undefined,
        state: answer ? 'answered' : 'failed',
        parts: answer?.steps.map(toPart) ?? [],
        text: answer?.content ?? '',
        usage: answer?.usage ?? null,
      };
    });
}

function toPart({ tool, input, result, error, milliseconds }: Step): Part {
  const end = { output: error ?? result ?? '', isError: error !== null, milliseconds };
  return toUse({ tool, input, end });
}
