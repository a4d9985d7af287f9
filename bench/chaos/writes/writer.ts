import { Client, NoAnswer } from '../../../testkit/http/client.js';
import type { Contents } from './contents.js';
import { type Belief, describe, nextWrite, type Write } from './write.js';

/**
 * Writes to its own resources, one write at a time, and remembers the expected state. After a write without an
 * answer, two states are allowed, and nothing in between.
 */
export class Writer {
  acknowledged = 0;
  /** Answers that no write should get. */
  readonly unexpected: string[] = [];
  readonly #client = new Client();
  #belief: Belief = { skills: new Map(), agents: new Map(), chatbots: new Map() };
  #unanswered: Write | undefined;
  #next = 0;

  /** @param prefix the prefix of the names of its resources */
  constructor(private readonly prefix: string) {}

  /** Writes until a request is not answered. */
  async write(project: string): Promise<void> {
    for (;;) {
      const write = nextWrite(this.#belief, `${this.prefix}_${this.#next++}`);
      this.#unanswered = write;
      try {
        const answer = await this.#client.send(write.method, project + write.path, write.body);
        // A 503 leaves the outcome as unknown as no answer.
        if (answer.status === 503) return;
        if (answer.status >= 300) {
          this.unexpected.push(
            `${write.method} ${write.path}: ${answer.status} ${JSON.stringify(answer.body)}`,
          );
          return;
        }
      } catch (error) {
        if (error instanceof NoAnswer) return;
        throw error;
      }
      this.acknowledged += 1;
      this.#belief = write.after;
      this.#unanswered = undefined;
    }
  }

  /**
   * Compares the actual state with the allowed ones. Returns the differences, and continues from the actual
   * state.
   */
  compare(there: Contents): string[] {
    const own = this.#ownOf(there);
    const write = this.#unanswered;
    const before = this.#belief;
    this.#belief = own;
    this.#unanswered = undefined;
    const found = describe(own);
    if (found === describe(before) || (write && found === describe(write.after))) return [];
    return [
      `${this.prefix}: ${difference(before, own)}, with ${write ? `${write.method} ${write.path}` : 'nothing'} unanswered`,
    ];
  }

  close(): void {
    this.#client.close();
  }

  #ownOf({ skills, agents, chatbots }: Contents): Belief {
    const own = (all: ReadonlyMap<string, string>) =>
      new Map([...all].filter(([name]) => name.startsWith(`${this.prefix}_`)));
    const parsed = <T>(all: ReadonlyMap<string, string>, parse: (text: string) => T) =>
      new Map([...own(all)].map(([name, text]) => [name, parse(text)]));
    return {
      skills: parsed(skills, fieldsOf),
      agents: parsed(agents, namesOf),
      chatbots: parsed(chatbots, fieldsOf),
    };
  }
}

/** Converts the JSON of `sorted` back to an object of numbers. */
function fieldsOf(text: string): Record<string, number> {
  const fields: unknown = JSON.parse(text);
  if (!Array.isArray(fields)) throw new Error(`${text} are no fields`);
  return Object.fromEntries(fields);
}

function namesOf(text: string): string[] {
  const names: unknown = JSON.parse(text);
  if (!Array.isArray(names)) throw new Error(`${text} are no names`);
  return names.map(String);
}

function difference(before: Belief, after: Belief): string {
  const kinds = ['skills', 'agents', 'chatbots'] as const;
  const differing = kinds.flatMap((kind) => {
    const names = new Set([...before[kind].keys(), ...after[kind].keys()]);
    return [...names]
      .map((name) => ({
        name,
        was: JSON.stringify(before[kind].get(name)),
        is: JSON.stringify(after[kind].get(name)),
      }))
      .filter(({ was, is }) => was !== is)
      .map(({ name, was, is }) => `${kind} ${name} was acknowledged as ${was} and is ${is}`);
  });
  return differing.slice(0, 3).join('; ');
}
