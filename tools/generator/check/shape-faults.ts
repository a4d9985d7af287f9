import type { z } from 'zod';
import { documentShape, problemShape } from '../../../server/contract/document-schema.js';
import { escapeToken } from '../../../server/contract/json-pointer.js';
import { asRecord } from '../../../server/contract/json-record.js';
import { isProblem } from '../../../server/contract/problem-types.js';
import type { FaultyPart } from './fault.js';

/** Finds what of a document is not of the shape that the server needs. */
export function shapeFaults(document: unknown): FaultyPart[] {
  const schemas = Object.entries(asRecord(asRecord(asRecord(document)['components'])['schemas']));
  return [
    ...faultsOf(documentShape.safeParse(document), ''),
    ...schemas
      .filter(([, schema]) => isProblem(asRecord(schema)))
      .flatMap(([name, schema]) =>
        faultsOf(problemShape.safeParse(schema), `/components/schemas/${escapeToken(name)}`),
      ),
  ];
}

function faultsOf({ error }: z.ZodSafeParseResult<unknown>, at: string): FaultyPart[] {
  return (error?.issues ?? []).map(({ path, message }) => {
    const steps = path.map((step) => escapeToken(String(step)));
    return {
      pointer: [at, ...steps].join('/'),
      message: `${path.join(' › ') || 'the document'}: ${message}`,
    };
  });
}
