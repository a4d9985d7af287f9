const OPEN = '<think>';
const CLOSE = '</think>';

/**
 * Drops reasoning from text that arrives in pieces: `<think>…</think>` at its start, as several
 * servers send it, and white space before and after. Tags later in the text stay.
 */
export class ReasoningFilter {
  #state: 'start' | 'reasoning' | 'text' = 'start';
  /** Characters that may be the beginning of a tag. */
  #held = '';
  #hasDropped = false;

  /** True if reasoning was dropped. */
  get hasDropped(): boolean {
    return this.#hasDropped;
  }

  /** Returns the text that is known to be none of the reasoning. */
  push(piece: string): string {
    if (this.#isText) return piece;
    let rest: string | undefined = this.#held + piece;
    this.#held = '';
    // A piece may have any number of thoughts.
    while (rest !== undefined && !this.#isText) {
      rest = this.#state === 'start' ? this.#start(rest) : this.#reasoning(rest);
    }
    return rest ?? '';
  }

  get #isText(): boolean {
    return this.#state === 'text';
  }

  /** Returns the rest of the text. */
  end(): string {
    return this.#state === 'start' ? this.#held : '';
  }

  /** Returns what follows an opening tag, or the text of the answer; undefined if neither is known yet. */
  #start(untrimmed: string): string | undefined {
    const text = untrimmed.trimStart();
    if (text.startsWith(OPEN)) {
      this.#state = 'reasoning';
      this.#hasDropped = true;
      return text.slice(OPEN.length);
    }
    if (OPEN.startsWith(text)) {
      this.#held = text;
      return undefined;
    }
    this.#state = 'text';
    return text;
  }

  /** Returns what follows the thought; undefined if it goes on. */
  #reasoning(text: string): string | undefined {
    const end = text.indexOf(CLOSE);
    if (end === -1) {
      this.#held = text.slice(-(CLOSE.length - 1));
      return undefined;
    }
    this.#state = 'start';
    return text.slice(end + CLOSE.length);
  }
}
