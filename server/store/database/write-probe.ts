import { isUnwritable, type NoteFailure } from './unavailable.js';

/**
 * Knows whether the store takes writes: from the writes that fail, and then from a write of its own,
 * until one succeeds. While writes succeed, nothing more is written.
 */
export class WriteProbe {
  #isSuspected = false;

  readonly noteFailure: NoteFailure = (error) => {
    if (isUnwritable(error)) this.#isSuspected = true;
  };

  /**
   * Tries a write if one has failed because the store took none.
   * @throws what the write throws
   */
  async run(write: () => Promise<void>): Promise<void> {
    if (!this.#isSuspected) return;
    // A write that fails meanwhile counts again.
    this.#isSuspected = false;
    try {
      await write();
    } catch (error) {
      this.#isSuspected = true;
      throw error;
    }
  }
}
