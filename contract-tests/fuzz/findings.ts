import { table } from '../../testkit/markdown-table.js';

export interface Finding {
  /** The kind of test that revealed it: a single request or a sequence. */
  kind: 'request' | 'sequence';
  /** The text that all cases of the same finding share. */
  what: string;
  /** All faults of the smallest case. */
  faults: readonly string[];
  /** The requests of this case, as commands. */
  shown: string;
  seed: number;
  /** The path at which fast-check reproduces it with this seed. */
  path: string;
}

/** The length, in characters, from which a request is abbreviated. */
const MAX_SHOWN_LENGTH = 2000;

export class Findings {
  readonly #found = new Map<string, Finding>();

  has(what: string): boolean {
    return this.#found.has(what);
  }

  add(finding: Finding): void {
    this.#found.set(finding.what, finding);
  }

  get count(): number {
    return this.#found.size;
  }

  /** Returns all findings, with the commands that reproduce them. */
  report(): string {
    return [...this.#found.values()].map(writeReport).join('\n\n');
  }
}

function writeReport({ kind, what, faults, shown, seed, path }: Finding): string {
  const rest = shown.length > MAX_SHOWN_LENGTH ? `… (${shown.length} characters)` : '';
  const sequences = kind === 'sequence' ? ' --sequences' : '';
  return [
    what,
    ...faults.map((fault) => `  ${fault.slice(0, MAX_SHOWN_LENGTH)}`),
    shown.slice(0, MAX_SHOWN_LENGTH) + rest,
    `npm run fuzz --${sequences} --seed ${seed} --path ${path}`,
  ].join('\n');
}

/** The requests that were sent, by operation and status. */
export class Tally {
  readonly #counts = new Map<string, Map<number, number>>();
  #requests = 0;

  get requests(): number {
    return this.#requests;
  }

  count(operationId: string, status: number): void {
    this.#requests += 1;
    const statuses = this.#counts.get(operationId) ?? new Map<number, number>();
    this.#counts.set(operationId, statuses.set(status, (statuses.get(status) ?? 0) + 1));
  }

  /** The number of answers of each status, by operation. */
  get counts(): ReadonlyMap<string, ReadonlyMap<number, number>> {
    return this.#counts;
  }

  /** Returns a Markdown table of operations, requests and statuses. */
  table(): string {
    const statuses = [...new Set([...this.#counts.values()].flatMap((counts) => [...counts.keys()]))];
    const columns = statuses.toSorted((one, other) => one - other);
    const rows = [...this.#counts].toSorted().map(([operation, counts]) => {
      const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
      return [operation, all, ...columns.map((status) => counts.get(status) ?? '')];
    });
    return table(['operation', 'requests', ...columns], rows);
  }
}
