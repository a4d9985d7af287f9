import * as v from 'valibot';
import { isPostgres, refuseUnreadable } from '../store/database/address.js';

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;

const database = v.object({
  /** `file:PATH` or `postgres://…`. It may contain a password: it is never shown. */
  url: v.pipe(
    v.string(),
    v.check((url) => /^file:./s.test(url) || isReadablePostgres(url)),
  ),
  /** The owners who may use the database; undefined for every owner. */
  owners: v.optional(
    v.pipe(
      v.array(v.string()),
      v.transform((owners): ReadonlySet<string> => new Set(owners)),
    ),
  ),
  /**
   * The tables and views that trainings may read, as `table` or `schema.table`; undefined if the
   * database is closed to trainings.
   */
  training: v.optional(
    v.pipe(
      v.array(v.pipe(v.string(), v.nonEmpty(), v.maxLength(200))),
      v.nonEmpty(),
      v.maxLength(1_000),
    ),
  ),
});

export type DatabaseSettings = Readonly<v.InferOutput<typeof database>>;

/** The form that a setting of a database must have, by its name. */
const RULES: Readonly<Record<string, (name: string) => string>> = {
  url: (name) =>
    `the URL of the database ${name} must be file:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE, in which characters of USER and PASSWORD other than letters and digits are percent-encoded (# is %23)`,
  owners: (name) => `the owners of the database ${name} must be a list of names, such as ["acme"]`,
  training: (name) =>
    `the tables of the database ${name} for training must be a list of names, such as ["orders", "shop.customers"]`,
};

/**
 * Reads the databases of the environment variable `DATABASES`: a JSON object whose values are URLs
 * or `{"url": …, "owners": […], "training": […]}`.
 * @throws {Error} if the text is malformed. The message is one line and shows no URL.
 */
export function parseDatabases(text: string): ReadonlyMap<string, DatabaseSettings> {
  const settings = new Map<string, DatabaseSettings>();
  for (const [name, value] of Object.entries(readObject(text))) {
    if (!NAME.test(name)) {
      throw new Error(
        `DATABASES has a database with the name ${JSON.stringify(name)}; a name has at most 100 letters, digits and _ . -, and begins with none of . -`,
      );
    }
    settings.set(name, readSettings(name, isObject(value) ? value : { url: value }));
  }
  return settings;
}

function readObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // The error of `JSON.parse` may show a password.
  }
  throw new Error(
    'DATABASES must be a JSON object of names and URLs, such as {"sales": "file:data/sales.db"}',
  );
}

function readSettings(name: string, value: object): DatabaseSettings {
  const unknown = Object.keys(value).find((setting) => !Object.hasOwn(RULES, setting));
  if (unknown !== undefined) {
    throw new Error(
      `DATABASES: the database ${name} has the unknown setting ${JSON.stringify(unknown)}; there are url, owners and training`,
    );
  }
  const { success, output, issues } = v.safeParse(database, value, { abortEarly: true });
  if (success) return output;
  throw new Error(`DATABASES: ${RULES[String(issues[0].path?.[0].key)]?.(name)}`);
}

function isReadablePostgres(url: string): boolean {
  if (!isPostgres(url)) return false;
  try {
    refuseUnreadable(url);
    return true;
  } catch {
    return false;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
