/** Runs work under one name in the order in which it came, one after the other; under different names at once. */
export class Queues {
  readonly #last = new Map<string, Promise<void>>();

  run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(name) ?? Promise.resolve()).then(work);
    const done = result.then(
      () => {},
      () => {},
    );
    this.#last.set(name, done);
    void done.then(() => {
      if (this.#last.get(name) === done) this.#last.delete(name);
    });
    return result;
  }
}
