/** The most bytes of one owner's responses that wait for their readers at once. */
const MAX_UNREAD = 32 * 1024 * 1024;

interface Answer {
  readonly bytes: number;
  readonly cutOff: () => void;
}

/**
 * Limits the memory of unread responses. If those of one owner take too much, the one that has
 * waited longest without progress is cut off.
 */
export class UnreadAnswers {
  /** The unread responses of each owner, the longest-waiting first. */
  readonly #byOwner = new Map<string, Set<Answer>>();

  /** @param max the limit per owner, in bytes */
  constructor(private readonly max = MAX_UNREAD) {}

  /**
   * Counts a response that waits for its reader.
   * @param bytes the bytes of the response in memory
   * @param cutOff called at most once, if the memory is needed
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
