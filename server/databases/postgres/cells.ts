import type { CustomTypesConfig } from 'pg';
import { jsonNumber } from '../result.js';

/** The identifiers of built-in types (PostgreSQL's `pg_type.dat`). */
const OID = {
  bool: 16,
  int8: 20,
  int2: 21,
  int4: 23,
  oid: 26,
  json: 114,
  float4: 700,
  float8: 701,
  timestamptz: 1184,
  numeric: 1700,
  jsonb: 3802,
} as const;

/**
 * Reads cells as JSON values. Numbers that JSON would change, such as NaN and large ones, stay text;
 * so do dates, which the driver would move to the time zone of the service.
 */
export const CELLS: CustomTypesConfig = { getTypeParser: (oid: number) => readerOf(oid) };

/**
 * Reads cells as a table has them: numbers keep all digits as text, and timestamps with a time zone
 * become ISO dates.
 */
export const TABLE_CELLS: CustomTypesConfig = {
  getTypeParser: (oid: number) => tableReaderOf(oid),
};

function tableReaderOf(oid: number): (text: string) => unknown {
  if (oid === OID.bool) return (text) => text === 't';
  // PostgreSQL writes an offset of whole hours without minutes: `2024-02-29 12:30:00+01`.
  if (oid === OID.timestamptz) return (text) => text.replace(/[+-]\d{2}$/, '$&:00');
  return (text) => text;
}

function readerOf(oid: number): (text: string) => unknown {
  switch (oid) {
    case OID.bool:
      return (text) => text === 't';
    case OID.int2:
    case OID.int4:
    case OID.oid:
    case OID.int8:
    case OID.numeric:
      return jsonNumber;
    case OID.float4:
    case OID.float8:
      return (text) => (Number.isFinite(Number(text)) ? Number(text) : text);
    case OID.json:
    case OID.jsonb:
      return (text) => JSON.parse(text);
    default:
      return (text) => text;
  }
}
