import * as v from 'valibot';
import { documentShape, isProblem } from '../../../server/contract/document-schema.js';
import { escapeToken } from '../../../server/contract/json-pointer.js';
import { asRecord } from '../../../server/contract/json-record.js';
import type { FaultyPart } from './fault.js';

/** The shape that a problem's schema must have. */
const problemShape = v.looseObject({
  description: v.string(),
  properties: v.looseObject({
    type: v.looseObject({ const: v.pipe(v.string(), v.startsWith('/problems/')) }),
    title: v.looseObject({ const: v.string() }),
    status: v.looseObject({
      const: v.pipe(v.number(), v.safeInteger(), v.minValue(400), v.maxValue(599)),
    }),
  }),
});

/** Finds what of a document is not of the shape that the server needs. */
export function shapeFaults(document: unknown): FaultyPart[] {
  const schemas = Object.entries(asRecord(asRecord(asRecord(document)['components'])['schemas']));
  return [
    ...faultsOf(documentShape, document, ''),
    ...schemas
      .filter(([, schema]) => isProblem(asRecord(schema)))
      .flatMap(([name, schema]) =>
        faultsOf(problemShape, schema, `/components/schemas/${escapeToken(name)}`),
      ),
  ];
}

function faultsOf(shape: v.GenericSchema, value: unknown, at: string): FaultyPart[] {
  const { issues = [] } = v.safeParse(shape, value);
  return issues.map(({ path = [], received, message }) => {
    const steps = path.map(({ key }) => String(key));
    return {
      pointer: [at, ...steps.map(escapeToken)].join('/'),
      message: `${steps.join(' › ') || 'the document'}: ${received === 'undefined' ? 'is missing' : message}`,
    };
  });
}
