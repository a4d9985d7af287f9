import * as v from 'valibot';
import { joinWords } from './join-words.js';
import { isName } from './names.js';

/** Settings of the operator by name, such as databases: which of them an owner may use. */
export interface Owned {
  /** The owners who may use it; undefined for every owner. */
  readonly owners?: ReadonlySet<string> | undefined;
}

export const OWNERS = v.optional(
  v.pipe(
    v.array(v.string()),
    v.transform((owners): ReadonlySet<string> => new Set(owners)),
  ),
);

/** The names that an owner may use. */
export function namesFor(settings: ReadonlyMap<string, Owned>, owner: string): string[] {
  return [...settings].filter(([, { owners }]) => owners?.has(owner) ?? true).map(([name]) => name);
}

interface Form<T> {
  /** The environment variable, such as `DATABASES`. */
  readonly variable: string;
  /** One of what it names, such as `database`. */
  readonly noun: string;
  readonly example: string;
  /** The schema of a value; a value that is no object is its `url`. */
  readonly schema: v.GenericSchema<unknown, T>;
  /** The rule of each setting of a value but `owners`, as the end of a sentence, by the name of the value. */
  readonly rules: Readonly<Record<string, (name: string) => string>>;
}

/**
 * Reads an environment variable that is a JSON object of names, each with a URL or an object of settings.
 * @throws {Error} if the text is malformed. The message is one line and shows no value.
 */
export function parseNamed<T>(text: string, form: Form<T>): ReadonlyMap<string, T> {
  const { variable } = form;
  const settings = new Map<string, T>();
  for (const [name, value] of Object.entries(readObject(text, form))) {
    if (!isName(name)) {
      throw new Error(
        `${variable} has the name ${JSON.stringify(name)}; a name has at most 100 letters, digits and _ . -, and begins with none of . -`,
      );
    }
    settings.set(name, readSettings(name, isObject(value) ? value : { url: value }, form));
  }
  return settings;
}

function readObject<T>(text: string, { variable, example }: Form<T>): object {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // The error of `JSON.parse` may show a password.
  }
  throw new Error(`${variable} must be a JSON object of names and URLs, such as ${example}`);
}

function readSettings<T>(name: string, value: object, form: Form<T>): T {
  const { variable, noun, schema } = form;
  const rules: Form<T>['rules'] = {
    ...form.rules,
    owners: () => `the owners of the ${noun} ${name} must be a list of names, such as ["acme"]`,
  };
  const unknown = Object.keys(value).find((setting) => !Object.hasOwn(rules, setting));
  if (unknown !== undefined) {
    throw new Error(
      `${variable}: the ${noun} ${name} has the unknown setting ${JSON.stringify(unknown)}; there are ${joinWords(Object.keys(rules), 'and')}`,
    );
  }
  const { success, output, issues } = v.safeParse(schema, value, { abortEarly: true });
  if (success) return output;
  throw new Error(`${variable}: ${rules[String(issues[0].path?.[0]?.key)]?.(name)}`);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
