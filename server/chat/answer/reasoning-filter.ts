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
    if (this.#state === 'text') return piece;
    const text = this.#held + piece;
    this.#held = '';
    return this.#state === 'start' ? this.#start(text) : this.#reasoning(text);
  }

  /** Returns the rest of the text. */
  end(): string {
    return this.#state === 'start' ? this.#held : '';
  }

  #start(untrimmed: string): string {
    const text = untrimmed.trimStart();
    if (text.startsWith(OPEN)) {
      this.#state = 'reasoning';
      this.#hasDropped = true;
      return this.#reasoning(text.slice(OPEN.length));
    }
    if (OPEN.startsWith(text)) {
      this.#held = text;
      return '';
    }
    this.#state = 'text';
    return text;
  }

  #reasoning(text: string): string {
    const end = text.indexOf(CLOSE);
    if (end === -1) {
      this.#held = text.slice(-(CLOSE.length - 1));
      return '';
    }
    this.#state = 'start';
    return this.#start(text.slice(end + CLOSE.length));
  }
}
