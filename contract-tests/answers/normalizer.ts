/** The texts of one service that differ between runs, by what stands for them in a recording. */
export interface Known {
  readonly [placeholder: string]: string;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
/** Durations in JSON, also in JSON that is a text of another. */
const DURATIONS = /(\\?"(?:training_seconds|milliseconds)\\?":)\d+(?:\.\d+)?(?:e-\d+)?/g;
/** The wait of a key that has reached its rate limit. */
const WAIT = /(?<=, the most that it may; try again in )\d+ seconds?/g;
/** The bytes of an owner: the table of a training that has ended is removed a moment later. */
const HELD = /(?<=Your projects hold )[\d,]+(?= bytes)/g;
/** Identifiers in another spelling, and the digest of an owner's key. */
const CURSOR = /(?<=[?&]cursor=)[A-Za-z0-9_-]{22}/g;
const PARTITION = /(?<=; pk=):[A-Za-z0-9+/=]+:/g;
const TAG = /"[A-Za-z0-9_-]{20,}"/g;

/**
 * Replaces what differs between two runs of the same service. Identifiers and entity tags are named after the place
 * where they first appear, so that a recording still tells which of them are the same.
 */
export class Normalizer {
  readonly #names = new Map<string, string>();
  readonly #begun = Date.now();
  #at = '';
  #named = 0;

  /** @param known texts such as the address of the service and its keys */
  constructor(private readonly known: Known) {}

  /** Begins the place in the recording that new identifiers are named after. */
  begin(at: string): void {
    this.#at = at;
    this.#named = 0;
  }

  text(text: string): string {
    const replaced = Object.entries(this.known).reduce(
      (all, [placeholder, value]) => all.replaceAll(value, `<${placeholder}>`),
      text,
    );
    return replaced
      .replace(UUID, (id) => this.#nameOf(id, 'id'))
      .replace(TIME, (time) => (this.#isOfRun(time) ? '<time>' : time))
      .replace(CURSOR, (cursor) => this.#nameOf(cursor, 'cursor'))
      .replace(PARTITION, (partition) => this.#nameOf(partition, 'partition'))
      .replace(WAIT, '<duration>')
      .replace(HELD, '<number>')
      .replace(DURATIONS, '$1<duration>');
  }

  /** Replaces the entity tags of a header, which depend on identifiers and times. */
  tags(value: string): string {
    return value.replace(TAG, (tag) => `"${this.#nameOf(tag, 'tag')}"`);
  }

  #nameOf(value: string, kind: string): string {
    let name = this.#names.get(value);
    if (name === undefined) {
      this.#named += 1;
      name = `<${kind} ${this.#named} of ${this.#at}>`;
      this.#names.set(value, name);
    }
    return name;
  }

  /** Returns whether the service took a time from its clock; times of the corpus stay. */
  #isOfRun(time: string): boolean {
    const at = Date.parse(time);
    return at >= this.#begun - 60_000 && at <= Date.now() + 1000;
  }
}
