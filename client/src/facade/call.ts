import type { Problem } from '../contract/problems.js';
import { items, type PageQuery } from '../paging.js';
import { type Answer, ProblemError } from '../problem-error.js';
import type { List, Read, Result } from './types.js';

/** A request, sent once, when someone first asks for its outcome. */
abstract class SentOnce<Data, Failure extends Problem> implements Promise<Data> {
  readonly [Symbol.toStringTag] = 'Call';
  #answer: Promise<Answer<Data>> | undefined;

  constructor(protected readonly send: (query?: PageQuery) => Promise<Answer<Data>>) {}

  async result(): Promise<Result<Data, Failure>> {
    this.#answer ??= this.send();
    // Types of the contract say which problems an operation answers with, and that others answer with data.
    return (await this.#answer) as Result<Data, Failure>;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is awaited for its data.
  then<Kept = Data, Caught = never>(
    keep?: ((data: Data) => Kept | PromiseLike<Kept>) | null,
    recover?: ((reason: unknown) => Caught | PromiseLike<Caught>) | null,
  ): Promise<Kept | Caught> {
    return this.#data().then(keep, recover);
  }

  catch<Caught = never>(recover?: ((reason: unknown) => Caught | PromiseLike<Caught>) | null): Promise<Data | Caught> {
    return this.#data().catch(recover);
  }

  finally(then?: (() => void) | null): Promise<Data> {
    return this.#data().finally(then);
  }

  async #data(): Promise<Data> {
    const { data, error, response } = await this.result();
    if (error !== undefined) throw new ProblemError(error, response);
    if (response.status === 304) {
      throw new TypeError('The answer has no data: its status is 304; ask for result()');
    }
    // Only a deletion has none, and its data is undefined.
    return data as Data;
  }
}

/** A request for one resource, or a change. */
export class SentCall<Data, Failure extends Problem> extends SentOnce<Data, Failure> implements Read<Data, Failure> {
  readonly reads = 'one';
}

/** A list, which is also read page by page. */
export class SentList<Item, Failure extends Problem> extends SentOnce<Item[], Failure> implements List<Item, Failure> {
  readonly reads = 'list';

  constructor(
    send: (query?: PageQuery) => Promise<Answer<Item[]>>,
    private readonly limit: number | undefined,
  ) {
    super(send);
  }

  [Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    return items(this.send, this.limit === undefined ? {} : { limit: this.limit });
  }
}
