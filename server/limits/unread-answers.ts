/** Bytes of one owner's answers that wait for their readers at once. */
const MAX_UNREAD = 32 * 1024 * 1024;

interface Answer {
  readonly bytes: number;
  readonly cutOff: () => void;
}

/**
 * Bounds the memory of answers that are not read. When those of one owner take too much, the one that has
 * waited longest without progress is cut off.
 */
export class UnreadAnswers {
  /** The answers of each owner; the one that has waited longest stands first. */
  readonly #byOwner = new Map<string, Set<Answer>>();

  /** @param max in bytes, of each owner */
  constructor(private readonly max = MAX_UNREAD) {}

  /**
   * Counts an answer that waits for its reader.
   * @param bytes its bytes in memory
   * @param cutOff called at most once, if its memory is needed
   * @returns the function that ends the wait
   */
  add(owner: string, bytes: number, cutOff: () => void): () => void {
    const answers = this.#byOwner.get(owner) ?? new Set();
    const answer = { bytes, cutOff };
    answers.add(answer);
    this.#byOwner.set(owner, answers);
    this.#makeRoom(answers);
    return () => {
      answers.delete(answer);
      if (answers.size === 0 && this.#byOwner.get(owner) === answers) this.#byOwner.delete(owner);
    };
  }

  #makeRoom(answers: Set<Answer>): void {
    let held = 0;
    for (const { bytes } of answers) held += bytes;
    for (const answer of answers) {
      if (held <= this.max || answers.size === 1) return;
      answers.delete(answer);
      held -= answer.bytes;
      answer.cutOff();
    }
  }
}
