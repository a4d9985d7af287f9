/** Expressions of SQL, and the JSON values of their results. */
export const VALUES: [sql: string, value: unknown][] = [
  ['null', null],
  ['9007199254740991', 9007199254740991],
  ['9223372036854775807', '9223372036854775807'],
  ['-1.5', -1.5],
  ["'2026-01-31'", '2026-01-31'],
  ["'Ünï😀 \\ \"'", 'Ünï😀 \\ "'],
];

/** Expressions of SQLite. */
export const SQLITE_VALUES: [sql: string, value: unknown][] = [
  ["x'00ff'", '\\x00ff'],
  ['1e300 * 10', 1e301],
  ['9e999', 'Infinity'],
  ['-9e999', '-Infinity'],
  ["json_extract('[1,{\"a\":2}]', '$[1]')", '{"a":2}'],
  ["date('2026-01-31', '+1 day')", '2026-02-01'],
];

/** Expressions of PostgreSQL. */
export const POSTGRES_VALUES: [sql: string, value: unknown][] = [
  ["'\\x00ff'::bytea", '\\x00ff'],
  ["'NaN'::float8", 'NaN'],
  ["'-Infinity'::float4", '-Infinity'],
  ["'NaN'::numeric", 'NaN'],
  ['12.50::numeric(10,2)', 12.5],
  ['0.1::numeric(40,30)', 0.1],
  ['12345678901234567890.5::numeric', '12345678901234567890.5'],
  ['true', true],
  ["date '2026-01-31'", '2026-01-31'],
  ["timestamp '2026-01-31 10:00'", '2026-01-31 10:00:00'],
  ["interval '1 day 2 hours'", '1 day 02:00:00'],
  ['\'{"a": [1, null]}\'::jsonb', { a: [1, null] }],
  ["array['a', 'b']", '{a,b}'],
  ["extract(year from date '2026-01-31')", 2026],
  ["position('b' in 'abc')", 2],
  ["trim(both 'x' from 'xax')", 'a'],
  ["'abc' similar to '(a|b)%'", true],
  ["date_trunc('month', date '2026-01-31')::date", '2026-01-01'],
  ["(date '2026-01-31' - date '2026-01-01')", 30],
  ["to_char(12.5, '99.00')", ' 12.50'],
  ["'{\"a\":{\"b\":3}}'::json -> 'a' ->> 'b'", '3'],
  ['10 / 3.0', 3.3333333333333335],
];
