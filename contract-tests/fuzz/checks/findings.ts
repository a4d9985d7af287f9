/** Something that is not as the contract promises. */
export interface Finding {
  /** Whether one request met it, or a sequence of them. */
  kind: 'request' | 'sequence';
  /** What is the same in each case that meets it. */
  what: string;
  /** All that was found in the smallest case that was found. */
  faults: readonly string[];
  /** The requests of this case, as commands. */
  shown: string;
  seed: number;
  /** Where fast-check finds it again, with this seed. */
  path: string;
}

/** A request that is longer is shown in part, in characters. */
const MAX_SHOWN_LENGTH = 2000;

/** What was found, each thing once. */
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

  /** All that was found, and the commands that find it again. */
  told(): string {
    return [...this.#found.values()].map(tell).join('\n\n');
  }
}

function tell({ kind, what, faults, shown, seed, path }: Finding): string {
  const rest = shown.length > MAX_SHOWN_LENGTH ? `… (${shown.length} characters)` : '';
  const sequences = kind === 'sequence' ? ' --sequences' : '';
  return [
    what,
    ...faults.map((fault) => `  ${fault.slice(0, MAX_SHOWN_LENGTH)}`),
    shown.slice(0, MAX_SHOWN_LENGTH) + rest,
    `npm run fuzz --${sequences} --seed ${seed} --path ${path}`,
  ].join('\n');
}
