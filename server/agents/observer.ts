import { type Answer, type Answering, NO_ANSWER, type Step } from './answer.js';

/** The facts about an answer that are known before it begins. */
export interface AnswerAbout {
  /** The name of the agent; null for the language model alone. */
  readonly agent: string | null;
  /** The language model. */
  readonly model: string;
  readonly traceId: string;
  readonly owner: string;
}

/** Follows an answer: counts it, logs it, and makes its spans. */
export interface AnswerWatch {
  stepped(step: Step): void;
  answered(answer: Answer): void;
  /** @param error the failure, or the reason why nobody waits any more */
  failed(error: unknown): void;
}

/** Called when an answer begins. */
export type AnswerObserver = (about: AnswerAbout) => AnswerWatch;

/** Passes an answer on, and reports it to an observer. */
export async function* observe(
  answering: Answering,
  about: AnswerAbout,
  observer: AnswerObserver,
): Answering {
  const watch = observer(about);
  let isOpen = true;
  try {
    for (;;) {
      const next = await answering.next();
      if (next.done) {
        isOpen = false;
        watch.answered(next.value);
        return next.value;
      }
      if (next.value.type === 'step') watch.stepped(next.value.step);
      yield next.value;
    }
  } catch (error) {
    isOpen = false;
    watch.failed(error);
    throw error;
  } finally {
    if (isOpen) {
      watch.failed(new Error('Nobody waits for the answer any more'));
      await answering.return(NO_ANSWER);
    }
  }
}
