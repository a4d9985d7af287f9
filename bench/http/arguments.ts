import { parseArgs } from 'node:util';

/** What the command line asks for. */
export interface Arguments {
  /** Groups of operations; none is all. */
  readonly only: readonly string[];
  /** Contenders beside Roster; none is all. */
  readonly against: readonly string[];
  readonly rounds: number;
  /** How long a round takes. */
  readonly seconds: number;
  /** Whether a figure that is missed leaves the exit code as it is: for machines of any speed, and few rounds. */
  readonly anySpeed: boolean;
  /** Whether it asks for nothing of its own. */
  readonly isUsual: boolean;
}

const DEFAULTS = { rounds: 7, seconds: 0.8 };

/**
 * Reads `--only A,B --against C,D --rounds 7 --seconds 0.8 --any-speed`.
 * @throws if the command line has something else
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
    isUsual: args.length === 0,
  };
}

/** The things that were named, or all of them. @throws if there is none of a name */
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
