/** The contract of chat servers: what a request to one must be. */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { load } from 'js-yaml';
import type { components } from '../../generated/chat-server.js';
import { root } from '../root.js';

/** The body of a request to a chat server. */
export type ChatRequestBody = components['schemas']['ChatCompletionRequest'];

/** Returns a check of requests to chat servers against an OpenAPI document that has their schema. */
export function requestCheck(document: URL, schema: string): ValidateFunction<ChatRequestBody> {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(withoutNullable(load(readFileSync(document, 'utf8'))), 'document');
  return ajv.compile<ChatRequestBody>({ $ref: `document#/components/schemas/${schema}` });
}

/** Returns true for a request that `chat-server.yaml` allows. */
export const isChatRequest: ValidateFunction<ChatRequestBody> = requestCheck(
  new URL('server/agents/chat/chat-server.yaml', root),
  'ChatCompletionRequest',
);

/** Drops a keyword of OpenAPI 3.0 that means nothing in 3.1, and which Ajv refuses beside `$ref`. */
function withoutNullable(document: unknown): object {
  return Object(JSON.parse(JSON.stringify(document), (key, value) => (key === 'nullable' ? undefined : value)));
}
