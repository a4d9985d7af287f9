import { Client, NoAnswer } from '../../../testkit/http/client.js';
import type { Contents } from './contents.js';
import { type Belief, describe, nextWrite, type Write } from './write.js';

/**
 * Writes to resources of its own, one write after the other, and remembers what must be there. Of the one
 * write whose answer did not come it knows two things that may be there, and nothing between them.
 */
export class Writer {
  acknowledged = 0;
  /** Answers that no write should get. */
  readonly unexpected: string[] = [];
  readonly #client = new Client();
  #belief: Belief = { skills: new Map(), agents: new Map(), chatbots: new Map() };
  #unanswered: Write | undefined;
  #next = 0;

  /** @param prefix of the names of its resources */
  constructor(private readonly prefix: string) {}

  /** Writes until no answer comes. */
  async write(project: string): Promise<void> {
    for (;;) {
      const write = nextWrite(this.#belief, `${this.prefix}_${this.#next++}`);
      this.#unanswered = write;
      try {
        const answer = await this.#client.send(write.method, project + write.path, write.body);
        // Whoever is told to come back knows no more than whoever is told nothing.
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

  /** Compares what is there with what must be; tells the differences, and takes what is there as it is. */
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

/** What `sorted` made of an object of numbers. */
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
