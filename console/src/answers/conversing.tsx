import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { ProblemError } from 'roster-client';
import { useSignal } from '../session/signal.js';
import { useLeaveWarning } from '../session/use-leave-warning.js';
import { Copyable } from '../ui/copyable.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Parts, Passages, Prose, UsageLine } from './answer.js';
import type { Exchange } from './exchange.js';
import type { Thread } from './thread.js';

/** The exchanges of a thread, the newest last, and the field for the next message. */
export function Conversing({ thread, project }: { thread: Thread; project: string }) {
  const exchanges = useSignal(thread.exchanges);
  useStayAtEnd(exchanges);
  return (
    <>
      <ol class="thread">
        {exchanges.map((exchange) => (
          <li key={exchange.id}>
            {exchange.question !== null && (
              <p class="question content">
                <span class="visually-hidden">You: </span>
                {exchange.question}
              </p>
            )}
            <Answer exchange={exchange} project={project} thread={thread} />
          </li>
        ))}
      </ol>
      <p class="visually-hidden" role="status">
        {announcement(exchanges.at(-1))}
      </p>
      <Composer thread={thread} isAnswering={thread.isAnswering} />
    </>
  );
}

function Answer({ exchange, project, thread }: { exchange: Exchange; project: string; thread: Thread }) {
  const { state, parts, text, passages, usage } = exchange;
  const isWaiting = state === 'answering' && text === '';
  return (
    <div class="reply">
      <Parts parts={parts} />
      <Prose text={text} />
      {isWaiting && <p class="waiting">The agent is working …</p>}
      <Passages project={project} passages={passages} />
      {usage && <UsageLine usage={usage} />}
      {state === 'stopped' && <p class="faint">Stopped.</p>}
      {state === 'failed' && <Failure error={exchange.error} />}
      {(state === 'failed' || state === 'stopped') && (
        <div class="actions">
          <button type="button" aria-disabled={thread.isAnswering} onClick={() => thread.askAgain(exchange)}>
            Ask again
          </button>
          {exchange.messageId === undefined && (
            <button type="button" onClick={() => thread.edit(exchange)}>
              Edit
            </button>
          )}
        </div>
      )}
    </div>
  );
}

/** An example of how a service gets a chat server. */
const CONFIGURATION = 'CHAT_URL=http://127.0.0.1:11434/v1 CHAT_MODEL=qwen3:8b npm start';

function Failure({ error }: { error: unknown }) {
  if (error === null) return <p class="faint">There is no reply yet.</p>;
  const isNotConfigured = error instanceof ProblemError && error.problem.type === '/problems/chat-not-configured';
  return (
    <>
      <ErrorNotice error={error} />
      {isNotConfigured && (
        <>
          <p>Any server with the chat completions of OpenAI will do. With Ollama on the same machine:</p>
          <Copyable label="Copy the command" text={CONFIGURATION} />
        </>
      )}
    </>
  );
}

/** The most characters of an answer to read aloud at once. */
const MAX_ANNOUNCED = 1000;

/** Announces the newest exchange to a screen reader: each step, and the answer once it is complete. */
function announcement(exchange: Exchange | undefined): string {
  if (exchange?.state === 'answered') return exchange.text.slice(0, MAX_ANNOUNCED);
  if (exchange?.state === 'stopped') return 'Stopped.';
  if (exchange?.state !== 'answering') return '';
  const last = exchange.parts.at(-1);
  if (last?.kind === 'use' && last.use.end === null) return `Uses ${last.use.tool}.`;
  if (last?.kind === 'use' && last.use.end?.isError) return `${last.use.tool} failed.`;
  return 'The agent is working.';
}

/** The distance from the end, in CSS pixels, within which the page follows the answer. */
const NEAR_END = 80;

/** Keeps the end of the page in view while it grows, unless one has scrolled away from it. */
function useStayAtEnd(content: unknown): void {
  const isAtEnd = useRef(true);
  useEffect(() => {
    const note = () => {
      const { scrollHeight } = document.documentElement;
      isAtEnd.current = scrollHeight - innerHeight - scrollY < NEAR_END;
    };
    addEventListener('scroll', note, { passive: true });
    return () => removeEventListener('scroll', note);
  }, []);
  useLayoutEffect(() => {
    if (isAtEnd.current) scrollTo(0, document.documentElement.scrollHeight);
  }, [content]);
}

/** A field for the next message, with the buttons that send it and stop the answer. */
function Composer({ thread, isAnswering }: { thread: Thread; isAnswering: boolean }) {
  const draft = useSignal(thread.draft);
  const field = useRef<HTMLTextAreaElement>(null);
  useLeaveWarning(draft !== '');
  useEffect(() => {
    // The button that had the focus is gone.
    if (document.activeElement === document.body) field.current?.focus();
  }, [isAnswering]);
  return (
    <form class="composer" onSubmit={() => thread.send()}>
      <label>
        <span class="visually-hidden">Message</span>
        <textarea
          ref={field}
          rows={2}
          placeholder="Write a message"
          value={draft}
          onInput={(event) => thread.draft.set(event.currentTarget.value)}
          onKeyDown={(event) => {
            // Enter also takes what an input method offers.
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            thread.send();
          }}
        />
      </label>
      <div class="actions">
        <button type="submit" class="primary" aria-disabled={isAnswering || draft.trim() === ''}>
          Send
        </button>
        {isAnswering && (
          <button type="button" onClick={() => thread.stop()}>
            Stop
          </button>
        )}
        <span class="hint">Enter sends, Shift+Enter begins a line.</span>
      </div>
    </form>
  );
}
