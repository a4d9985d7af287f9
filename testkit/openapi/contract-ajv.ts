import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { document, type Place } from './document.js';

/**
 * Compiles the schemas of the contract, which are at `contract#/…`. A validator other than the server's, so that a
 * fault in one is found by the other.
 */
const contractAjv = new Ajv2020({
  strict: false,
  allErrors: true,
  validateSchema: false,
  // Each schema meets few values: code that is quick to make is better here than code that is quick.
  inlineRefs: false,
  code: { optimize: false },
});
addFormats.default(contractAjv);
contractAjv.addSchema(document, 'contract');

/** Returns what a value breaks of a schema of the contract; empty if it is valid. */
export function schemaErrors(schema: Place, value: unknown): readonly ErrorObject[] {
  const validate = contractAjv.getSchema(`contract#${encodeURI(schema.pointer)}`);
  if (validate === undefined) throw new Error(`The contract has no schema at ${schema.pointer}`);
  return validate(value) === true ? [] : (validate.errors ?? []);
}
