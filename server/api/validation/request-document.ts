import type { Document, Operation } from '../../contract/document.js';
import { asRecord } from '../../contract/json-record.js';
import { isText } from '../../edge/request.js';

/**
 * Returns the part of the contract that describes the requests to an operation, with the components that it
 * references. The validator walks the whole document before it compiles an operation, and most of it describes
 * others, and responses.
 */
export function requestsOnly(document: Document, { path, method }: Operation): object {
  const { parameters = [], [method]: operation } = asRecord(document.paths[path]);
  const paths = { [path]: { parameters, [method]: requestOnly(operation) } };
  return structuredClone({
    ...{ openapi: document.openapi, info: document.info, paths },
    components: referredTo(paths, document.components),
  });
}

function requestOnly(part: unknown): unknown {
  if (typeof part !== 'object' || part === null || !('responses' in part)) return part;
  const requestBody = asRecord(asRecord(part)['requestBody']);
  const types = Object.keys(asRecord(requestBody['content']));
  return {
    ...part,
    ...(requestBody['x-roster-deferred-body'] || types.some(isText)
      ? { requestBody: ofAnyForm(requestBody) }
      : {}),
    responses: { default: { description: 'Not part of the request.' } },
  };
}

/** Accepts any body: deferred bodies are validated by the handler, and text when it is decoded. */
function ofAnyForm(requestBody: unknown): object {
  const { content } = asRecord(requestBody);
  return {
    ...asRecord(requestBody),
    content: mapValues(asRecord(content), () => ({ schema: {} })),
  };
}

/** Returns the components that a part of the document references, directly or indirectly. */
export function referredTo(part: unknown, components: Document['components']): object {
  const kept: Record<string, Record<string, unknown>> = {};
  const visit = (node: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(node).matchAll(REFERENCE)) {
      const component = asRecord(components[kind])[name];
      if (component === undefined || kept[kind]?.[name] !== undefined) continue;
      kept[kind] = { ...kept[kind], [name]: component };
      visit(component);
    }
  };
  visit(part);
  return kept;
}

const REFERENCE = /"\$ref":"#\/components\/(\w+)\/([\w.-]+)"/g;

function mapValues<T, U>(object: Readonly<Record<string, T>>, map: (value: T) => U) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}
