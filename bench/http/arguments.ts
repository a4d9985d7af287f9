import { parseArgs } from 'node:util';

/** The command-line arguments. */
export interface Arguments {
  /** The selected groups of operations; empty for all. */
  readonly only: readonly string[];
  /** The selected contenders beside Roster; empty for all. */
  readonly against: readonly string[];
  readonly rounds: number;
  /** The duration of a round, in seconds. */
  readonly seconds: number;
  /** Whether a missed figure leaves the exit code at 0: for machines of any speed, and for few rounds. */
  readonly anySpeed: boolean;
  /** Whether there are no arguments. */
  readonly isDefault: boolean;
}

const DEFAULTS = { rounds: 7, seconds: 0.8 };

/**
 * Parses `--only A,B --against C,D --rounds 7 --seconds 0.8 --any-speed`.
 * @throws if there are other arguments
 */
export function readArguments(args: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', default: '' },
      against: { type: 'string', default: '' },
      rounds: { type: 'string', default: String(DEFAULTS.rounds) },
      seconds: { type: 'string', default: String(DEFAULTS.seconds) },
      'any-speed': { type: 'boolean', default: false },
    },
  });
  return {
    only: listOf(values.only),
    against: listOf(values.against),
    rounds: positive('--rounds', values.rounds),
    seconds: positive('--seconds', values.seconds),
    anySpeed: values['any-speed'],
    isDefault: args.length === 0,
  };
}

/** Returns the named elements, or all of them. @throws if a name is unknown */
export function chosen<T extends { readonly name: string }>(
  all: readonly T[],
  names: readonly string[],
): readonly T[] {
  const unknown = names.filter((name) => !all.some((one) => one.name === name));
  if (unknown.length > 0) {
    const known = all.map(({ name }) => name).join(', ');
    throw new Error(`There is no ${unknown.join(', ')}; there are ${known}`);
  }
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}

function listOf(text: string): string[] {
  return text.split(',').filter((name) => name !== '');
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (value > 0) return value;
  throw new Error(`${option} must be a number above 0, not "${text}"`);
}
