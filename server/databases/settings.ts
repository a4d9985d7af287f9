import * as v from 'valibot';
import { OWNERS, parseNamed } from '../common/named-settings.js';
import { isPostgres, refuseUnreadable } from '../store/database/address.js';

const database = v.object({
  /** `file:PATH` or `postgres://…`. It may contain a password: it is never shown. */
  url: v.pipe(
    v.string(),
    v.check((url) => /^file:./s.test(url) || isReadablePostgres(url)),
  ),
  owners: OWNERS,
  /**
   * The tables and views that trainings may read, as `table` or `schema.table`; undefined if the
   * database is closed to trainings.
   */
  training: v.optional(
    v.pipe(v.array(v.pipe(v.string(), v.nonEmpty(), v.maxLength(200))), v.nonEmpty(), v.maxLength(1_000)),
  ),
});

export type DatabaseSettings = Readonly<v.InferOutput<typeof database>>;

/**
 * Reads the databases of the environment variable `DATABASES`: a JSON object whose values are URLs
 * or `{"url": …, "owners": […], "training": […]}`.
 * @throws {Error} if the text is malformed. The message is one line and shows no URL.
 */
export function parseDatabases(text: string): ReadonlyMap<string, DatabaseSettings> {
  return parseNamed(text, {
    variable: 'DATABASES',
    noun: 'database',
    schema: database,
    example: '{"sales": "file:data/sales.db"}',
    rules: {
      url: (name) =>
        `the URL of the database ${name} must be file:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE, in which characters of USER and PASSWORD other than letters and digits are percent-encoded (# is %23)`,
      training: (name) =>
        `the tables of the database ${name} for training must be a list of names, such as ["orders", "shop.customers"]`,
    },
  });
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
