import type { CustomTypesConfig, FieldDef } from 'pg';
import { toJsonNumber } from '../driver.js';
import { deepCell } from '../query-error.js';

/** The identifiers of built-in types (PostgreSQL's `pg_type.dat`). */
const OID = {
  bool: 16,
  bytea: 17,
  int8: 20,
  int2: 21,
  int4: 23,
  text: 25,
  oid: 26,
  json: 114,
  float4: 700,
  float8: 701,
  varchar: 1043,
  timestamptz: 1184,
  numeric: 1700,
  jsonb: 3802,
} as const;

/** The deepest nesting of a JSON cell: `JSON.stringify` overflows the stack at some thousands. */
const MAX_DEPTH = 100;

export const RAW_CELLS: CustomTypesConfig = { getTypeParser: () => (text: string) => text };

/**
 * Reads a cell as a JSON value. Numbers that JSON would change, such as NaN and large ones, stay
 * text; so do dates, which the driver would move to the time zone of the service.
 * @param row the number of the row, from 1
 * @throws {ProblemError} if it is nested too deeply
 */
export function readCell(text: string | null, column: FieldDef, row: number): unknown {
  if (text === null) return null;
  switch (column.dataTypeID) {
    case OID.bool:
      return text === 't';
    case OID.int2:
    case OID.int4:
    case OID.oid:
    case OID.int8:
    case OID.numeric:
      return toJsonNumber(text);
    case OID.float4:
    case OID.float8:
      return Number.isFinite(Number(text)) ? Number(text) : text;
    case OID.json:
    case OID.jsonb:
      if (measureDepth(text) > MAX_DEPTH) {
        const part = exampleOfPart(column.name, column.dataTypeID);
        throw deepCell({ column: column.name, row, part }, MAX_DEPTH);
      }
      return JSON.parse(text);
    default:
      return text;
  }
}

/**
 * Reads a cell as a table has it: numbers keep all digits as text, and timestamps with a time zone
 * become ISO dates.
 */
export function readTableCell(text: string | null, { dataTypeID }: FieldDef): unknown {
  if (text === null) return null;
  if (dataTypeID === OID.bool) return text === 't';
  // PostgreSQL writes an offset of whole hours without minutes: `2024-02-29 12:30:00+01`.
  if (dataTypeID === OID.timestamptz) return text.replace(/[+-]\d{2}$/, '$&:00');
  return text;
}

export function exampleOfPart(column: string, type: number): string {
  const name = /^[a-z_][a-z0-9_]*$/.test(column) ? column : 'x';
  switch (type) {
    case OID.json:
    case OID.jsonb:
      return `${name} -> 'key'`;
    case OID.bytea:
      return `length(${name})`;
    case OID.text:
    case OID.varchar:
      return `left(${name}, 1000)`;
    default:
      return `left(${name}::text, 1000)`;
  }
}

function measureDepth(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
