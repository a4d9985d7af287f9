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
    return [...this.#found.values()].map(reportOf).join('\n\n');
  }
}

function reportOf({ kind, what, faults, shown, seed, path }: Finding): string {
  const rest = shown.length > MAX_SHOWN_LENGTH ? `… (${shown.length} characters)` : '';
  const sequences = kind === 'sequence' ? ' --sequences' : '';
  return [
    what,
    ...faults.map((fault) => `  ${fault.slice(0, MAX_SHOWN_LENGTH)}`),
    shown.slice(0, MAX_SHOWN_LENGTH) + rest,
    `npm run fuzz --${sequences} --seed ${seed} --path ${path}`,
  ].join('\n');
}
