import { isUnwritable, type NoteFailure } from './unavailable.js';

/**
 * Knows whether the store takes writes: from the writes that fail, and then from a write of its own,
 * until one succeeds. While writes succeed, nothing more is written.
 */
export class WriteProbe {
  #isSuspected = false;
  #running: Promise<void> | undefined;

  readonly noteFailure: NoteFailure = (error) => {
    if (isUnwritable(error)) this.#isSuspected = true;
  };

  /**
   * Tries a write if one has failed because the store took none. Who asks while a write is tried
   * waits for that one.
   * @throws what the write throws
   */
  async run(write: () => Promise<void>): Promise<void> {
    if (this.#isSuspected) {
      this.#running ??= this.#try(write).finally(() => {
        this.#running = undefined;
      });
    }
    await this.#running;
  }

  async #try(write: () => Promise<void>): Promise<void> {
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
