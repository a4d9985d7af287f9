import { Command, InvalidArgumentError } from 'commander';

/**
 * Begins the command line of a script of `package.json`. `--help` shows its options; a wrong one, or an argument that
 * it does not take, is reported in one line, and the exit code is 2.
 */
export function scriptCommand(script: string, description: string): Command {
  const command = new Command(`npm run ${script} --`)
    .description(description)
    .configureOutput({
      outputError: (text, write) => {
        const fault = text.includes('too many arguments') ? describeSurplus(script, command) : text;
        const line = fault.trim().replaceAll('\n', ' ').replace(/\.$/, '');
        write(`${line}; add --help to see what it does\n`);
      },
    })
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
  return command;
}

function describeSurplus(script: string, command: Command): string {
  const { args, registeredArguments, options } = command;
  const stray = args.slice(registeredArguments.length).map((text) => JSON.stringify(text));
  const taken = [...registeredArguments.map((argument) => argument.name()), ...options.map(({ flags }) => flags)];
  const all = taken.length === 0 ? 'nothing' : taken.join(', ');
  return `error: npm run ${script} takes no ${stray.join(' ')}; it takes ${all}`;
}

/**
 * Reads a number above 0.
 * @throws {InvalidArgumentError}
 */
export function positiveNumber(text: string): number {
  const number = Number(text);
  if (number > 0) return number;
  throw new InvalidArgumentError('It must be a number above 0.');
}

/**
 * Returns a reader of whole numbers, of at most ten digits.
 * @throws {InvalidArgumentError} from the reader, if the text is not one, or is below `least`
 */
export function wholeNumberFrom(least: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least}.`);
  };
}

/**
 * Returns a reader of names that are separated by commas.
 * @throws {InvalidArgumentError} from the reader, if nothing has one of the names
 */
export function namesAmong(known: readonly { readonly name: string }[]): (text: string) => string[] {
  return (text) => {
    const names = text.split(',');
    const unknown = names.filter((name) => !known.some((one) => one.name === name));
    if (unknown.length === 0) return names;
    const all = known.map(({ name }) => name).join(', ');
    throw new InvalidArgumentError(
      `There is no ${unknown.map((name) => JSON.stringify(name)).join(', ')}; there are ${all}.`,
    );
  };
}
