import { escapeToken, valueAt } from '../../../server/contract/json-pointer.js';
import { asRecord, type JsonRecord } from '../../../server/contract/json-record.js';

/** A reference that cannot be resolved, with its place and the reason. */
export interface BrokenReference {
  readonly pointer: string;
  readonly reference: string;
  readonly reason: string;
}

/** Keywords that contain values, in which `$ref` is an ordinary key. */
const VALUES = new Set(['example', 'default', 'const', 'enum', 'value']);

/** Keywords that contain names instead of keywords: a field may be named `default`. */
export const NAMED = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'schemas',
  'headers',
  'parameters',
  'responses',
  'examples',
  'links',
  'securitySchemes',
  'requestBodies',
  'pathItems',
  'callbacks',
  'paths',
]);

/** Returns the first `$ref` that leads out of the document, to nothing, or round in a circle. */
export function brokenReference(document: JsonRecord): BrokenReference | undefined {
  const seen = new Set<object>();
  const search = (node: unknown, at: string, named: boolean): BrokenReference | undefined => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return undefined;
    seen.add(node);
    for (const [key, child] of Object.entries(node)) {
      const pointer = `${at}/${escapeToken(key)}`;
      if (!named && key === '$ref' && typeof child === 'string') {
        const reason = reasonAgainst(document, child);
        if (reason) return { pointer, reference: child, reason };
      }
      if (!named && VALUES.has(key)) continue;
      const found = search(child, pointer, !named && NAMED.has(key));
      if (found) return found;
    }
    return undefined;
  };
  return search(document, '', false);
}

function reasonAgainst(document: JsonRecord, reference: string): string | undefined {
  const passed = new Set<string>();
  for (let next: unknown = reference; typeof next === 'string'; ) {
    if (!next.startsWith('#/')) return 'leads out of the document, which is not compared';
    if (passed.has(next)) return 'leads back to itself';
    passed.add(next);
    const target = referenced(document, next);
    if (target === undefined) return 'leads to nothing';
    next = asRecord(target)['$ref'];
  }
  return undefined;
}

/** Returns the target of a reference within the document; undefined if there is none. */
export function referenced(document: JsonRecord, reference: string): unknown {
  return valueAt(document, decodeFragment(reference.slice(1)));
}

/** Decodes a reference, whose pointer may be percent-encoded like any URI (RFC 6901, section 6). */
function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
