import { type AnswerStream, type AnswerWatch, type Step, stepEvent, toAction, type Usage } from './answer-stream.js';
import type { ChatClient } from './chat/chat-client.js';
import { ChatError } from './chat/chat-error.js';
import type { ChatAnswer, ChatMessage, ForcedTool } from './chat/messages.js';
import type { AnswerForm } from './form/answer-form.js';
import { askForJsonAgain, CUT_OFF, NO_MORE_TOOLS } from './prompt.js';
import type { Passage, Prediction } from './tools/tool.js';
import { describeCall, type ToolRegistry } from './tools/tools.js';

const LIMITS = {
  /** Requests to the chat server that may ask for tools. */
  rounds: 10,
  toolCalls: 32,
  /** Tokens, as the chat server counts them, after which no tool is offered. */
  tokens: 200_000,
  /** Bytes of all results of tools, after which no tool is offered. */
  resultBytes: 256 * 1024,
  textBytes: 64 * 1024,
  milliseconds: 120_000,
} as const;

/** The tokens of the caller. */
export interface TokenCounter {
  /** @throws {ProblemError} if there are no more */
  require(): Promise<void> | undefined;
  count(used: number): Promise<void>;
}

export interface PreparedAnswer {
  readonly chat: Pick<ChatClient, 'stream'>;
  readonly model: string;
  readonly temperature: number | undefined;
  /** The most tokens that the language model may write, in all requests together as the chat server counts them. */
  readonly maxTokens?: number | undefined;
  /** The form of the answer. It is checked, and asked for once more, before anything of the text is passed on. */
  readonly form?: AnswerForm | undefined;
  /** The system prompt, the history and the question. */
  readonly messages: readonly ChatMessage[];
  readonly tools: ToolRegistry;
  /** The tool that the first request to the chat server forces. */
  readonly forcedTool?: ForcedTool | undefined;
  readonly tokens: TokenCounter;
  readonly firstSteps: readonly Step[];
  readonly returnsContext: boolean;
  readonly traceId: string;
}

/**
 * Asks a language model, uses the tools that it asks for, and asks again, until it answers in words, or calls a
 * tool of the caller. When a bound is reached, it is asked for the last time, without tools. A form of the answer is
 * sent only without tools: Ollama and llama.cpp would write the form at once, and never call one.
 * @param observe called when the answer begins
 * @throws {ChatError} if the chat server fails, or never answers in words
 * @throws {ProblemError} if the caller may have no more tokens
 * @throws the reason of `cancelled`
 */
export async function* answerQuestion(
  {
    chat,
    model,
    temperature,
    maxTokens,
    form,
    tools,
    forcedTool,
    tokens,
    firstSteps,
    returnsContext,
    ...prepared
  }: PreparedAnswer,
  observe: () => AnswerWatch,
  cancelled: AbortSignal,
): AnswerStream {
  const { traceId: trace_id } = prepared;
  const messages = [...prepared.messages];
  const steps: Step[] = [];
  const passages: Passage[] = [];
  const predictions: Prediction[] = [];
  let usage: Usage = { requests: 0, prompt_tokens: null, completion_tokens: null, total_tokens: null };
  let uses = 0;
  let resultBytes = 0;
  let malformed = 0;
  /** True once the answer was asked for again, because it did not have its form. */
  let isRepeated = false;
  const watch = observe();
  const addStep = (step: Step) => {
    steps.push(step);
    watch.onStep(step);
    return stepEvent(step, trace_id);
  };
  const remainingTokens = () => (maxTokens === undefined ? undefined : maxTokens - (usage.completion_tokens ?? 0));
  const isExhausted = () =>
    usage.requests >= LIMITS.rounds ||
    uses >= LIMITS.toolCalls ||
    (usage.total_tokens ?? 0) >= LIMITS.tokens ||
    resultBytes >= LIMITS.resultBytes ||
    malformed > 1;

  const over = new AbortController();
  const { signal } = over;
  const stop = () => over.abort(cancelled.reason);
  if (cancelled.aborted) stop();
  cancelled.addEventListener('abort', stop);
  const timer = setTimeout(() => over.abort(tookTooLong()), LIMITS.milliseconds);
  let tellEnd = () => watch.onStop(usage);
  try {
    for (const step of firstSteps) yield addStep(step);
    for (;;) {
      const isLast = isExhausted() || isRepeated;
      const asked = isLast
        ? { messages: isRepeated ? messages : askForAnswer(messages), tools: [] }
        : { messages, tools: tools.definitions, ...(usage.requests === 0 && forcedTool && { forcedTool }) };
      await tokens.require();
      const bounds = { temperature, maxTokens: remainingTokens() };
      const requested = asked.tools.length === 0 ? form?.requested : undefined;
      signal.throwIfAborted();
      const stream = chat.stream({ model, ...bounds, ...asked, form: requested }, signal);
      let begun = '';
      let bytes = 0;
      let wasAsked = true;
      let next: IteratorResult<string, ChatAnswer> | undefined;
      try {
        for (next = await stream.next(); !next.done; next = await stream.next()) {
          begun += next.value;
          bytes += Buffer.byteLength(next.value);
          if (bytes > LIMITS.textBytes) throw tooLong();
          if (!form) yield { type: 'delta', content: next.value, trace_id };
        }
      } catch (error) {
        wasAsked = begun !== '' || !isRefusal(error);
        throw error;
      } finally {
        if (!next?.done) {
          // Closes the connection if the answer is left early.
          await stream.return(NO_CHAT_ANSWER);
          if (wasAsked) await tokens.count(estimateTokens(asked.messages, { ...NO_CHAT_ANSWER, text: begun }));
        }
      }
      const { text: written, toolCalls, finishReason } = next.value;
      usage = addUsage(usage, next.value.usage);
      await tokens.count(next.value.usage?.total_tokens ?? estimateTokens(asked.messages, next.value));
      const callerCalls = isLast ? [] : toolCalls.filter(({ name }) => tools.isCallerTool(name));
      const needsTools = toolCalls.length > 0 && callerCalls.length === 0;
      // Nothing is left to put results of tools into words.
      const isSpent = needsTools && (remainingTokens() ?? 1) <= 0;
      if (!needsTools || isSpent) {
        const isCut = finishReason === 'length' || isSpent;
        let text = written;
        if (form && callerCalls.length === 0 && !isCut) {
          const checked = form.check(written);
          if ('fault' in checked && (isRepeated || (remainingTokens() ?? 1) <= 0)) throw misfit(checked.fault);
          if ('fault' in checked) {
            isRepeated = true;
            messages.push({ role: 'assistant', content: written });
            messages.push({ role: 'user', content: askForJsonAgain(checked.fault) });
            continue;
          }
          text = checked.text;
        }
        if (form && text !== '' && callerCalls.length === 0) yield { type: 'delta', content: text, trace_id };
        // Callers who bound the tokens, or want a form, get the reason beside the text.
        const mark = isCut && maxTokens === undefined && !form ? CUT_OFF : '';
        if (mark !== '') yield { type: 'delta', content: mark, trace_id };
        const found = returnsContext ? passages : undefined;
        const answer = { text: text + mark, isCut, toolCalls: callerCalls, steps, usage, passages: found, predictions };
        tellEnd = () => watch.onAnswer(answer);
        return answer;
      }
      if (isLast) throw neverAnswered();
      const calls = toolCalls.slice(0, LIMITS.toolCalls - uses);
      messages.push({ role: 'assistant', content: written || null, tool_calls: calls });
      const actions = calls.map((call) => toAction(describeCall(call)));
      yield { actions, messages: [{ content: written }], trace_id };
      // One after the other: they share the loop, and a later one may be needless to start.
      for (const call of calls) {
        const use = await tools.use(call, signal);
        messages.push({ role: 'tool', tool_call_id: call.id, content: use.message });
        uses += 1;
        passages.push(...use.passages);
        predictions.push(...use.predictions);
        resultBytes += Buffer.byteLength(use.message);
        if (use.wasMalformed) malformed += 1;
        yield addStep(use.step);
      }
    }
  } catch (error) {
    if (error !== cancelled.reason) tellEnd = () => watch.onFailure(error, usage);
    throw error;
  } finally {
    clearTimeout(timer);
    cancelled.removeEventListener('abort', stop);
    tellEnd();
  }
}

/** Ends a stream whose answer nobody reads. */
const NO_CHAT_ANSWER: ChatAnswer = { text: '', toolCalls: [], usage: null, finishReason: null };

/** Returns whether the chat server did not take a request, or could not be reached: it has written nothing then. */
function isRefusal(error: unknown): boolean {
  return error instanceof ChatError && (error.status !== undefined || error.errorType === 'connection');
}

/** Counts a request; tokens are null until a server counts them. */
function addUsage(usage: Usage, added: ChatAnswer['usage']): Usage {
  const requests = usage.requests + 1;
  if (added === null) return { ...usage, requests };
  return {
    requests,
    prompt_tokens: (usage.prompt_tokens ?? 0) + added.prompt_tokens,
    completion_tokens: (usage.completion_tokens ?? 0) + added.completion_tokens,
    total_tokens: (usage.total_tokens ?? 0) + added.total_tokens,
  };
}

/** Returns about as many tokens as a chat server would count that counts none: one for four bytes. */
function estimateTokens(messages: readonly ChatMessage[], { text, toolCalls }: ChatAnswer): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify([messages, text, toolCalls])) / 4);
}

/** Asks for an answer in the last result: templates of chats refuse a message of a person after it. */
function askForAnswer(messages: readonly ChatMessage[]): ChatMessage[] {
  const last = messages.at(-1);
  if (last?.role !== 'tool') return [...messages];
  return [...messages.slice(0, -1), { ...last, content: `${last.content}\n\n${NO_MORE_TOOLS}` }];
}

function tookTooLong(): ChatError {
  return new ChatError(
    `The answer took longer than ${LIMITS.milliseconds / 1000} seconds; ask for less, or try again.`,
    'timeout',
  );
}

function tooLong(): ChatError {
  return new ChatError(`The language model wrote more than ${LIMITS.textBytes / 1024} KiB; ask for less.`);
}

function misfit(fault: string): ChatError {
  return new ChatError(
    `The language model did not answer in the form that was asked for: ${fault}. Ask for a simpler form, or choose another model.`,
  );
}

function neverAnswered(): ChatError {
  return new ChatError(
    'The language model asked for tools until it had used all that one answer may, and never answered in words; ask a narrower question.',
  );
}
