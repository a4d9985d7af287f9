import type { Ajv2020 } from 'ajv/dist/2020.js';
import { escapeToken } from '../../../server/contract/json-pointer.js';
import { asRecord } from '../../../server/contract/json-record.js';
import { brokenRules } from './ajv-words.js';
import type { FaultyPart } from './fault.js';
import type { Part } from './parts.js';

/** Finds what of the schemas is not JSON Schema 2020-12, such as a type or a format that does not exist. */
export function schemaFaults(ajv: Ajv2020, parts: readonly Part[]): FaultyPart[] {
  const schemas = parts.filter(({ kind }) => kind === 'schema');
  const faults = schemas.flatMap(({ pointer, value }) => {
    if (ajv.validateSchema(value) === true) return [];
    return brokenRules(ajv.errors ?? [], pointer).map(({ message, ...place }) => ({
      ...place,
      message: `this is not JSON Schema: ${message}`,
    }));
  });
  return [
    ...faults,
    ...schemas.flatMap((part) => [...unknownFormat(ajv, part), ...malformedPatterns(part)]),
  ];
}

/** A format that the validator does not know, it would not check. */
function unknownFormat(ajv: Ajv2020, { pointer, value }: Part): FaultyPart[] {
  const { format } = value;
  if (typeof format !== 'string' || Object.hasOwn(ajv.formats, format)) return [];
  return [{ pointer: `${pointer}/format`, message: `the format ${format} is not known` }];
}

/** In the schema of schemas, `format: regex` is a remark: the validator would fail at the first use. */
function malformedPatterns({ pointer, value }: Part): FaultyPart[] {
  const patterns = Object.keys(asRecord(value['patternProperties'])).map((pattern) => ({
    pattern,
    at: `patternProperties/${escapeToken(pattern)}`,
  }));
  if (typeof value['pattern'] === 'string') {
    patterns.push({ pattern: value['pattern'], at: 'pattern' });
  }
  return patterns.flatMap(({ pattern, at }) => {
    try {
      new RegExp(pattern, 'u');
      return [];
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return [{ pointer: `${pointer}/${at}`, message: `this is not JSON Schema: ${message}` }];
    }
  });
}
