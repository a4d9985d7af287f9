import { asRecord } from '../../contract/json-record.js';

/**
 * Returns the problem of an answer as an object. In an error of JSON-RPC it is the `data`, where a rule of the
 * contract is broken; an error of the protocol itself has none.
 * @param json the body of a refusal
 */
export function problemIn(json: unknown): Readonly<Record<string, unknown>> {
  const body = asRecord(json);
  return body['jsonrpc'] === undefined ? body : asRecord(asRecord(body['error'])['data']);
}
