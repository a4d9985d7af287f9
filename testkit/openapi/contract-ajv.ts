import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { document } from './document.js';

/**
 * Compiles the schemas of the contract, which are at `contract#/…`. A validator other than the server's, so that a
 * fault in one is found by the other.
 */
export const contractAjv = new Ajv2020({
  ...{ strict: false, allErrors: true, validateSchema: false },
  // Each schema meets few values: code that is quick to make is better here than code that is quick.
  ...{ inlineRefs: false, code: { optimize: false } },
});
addFormats.default(contractAjv);
contractAjv.addSchema(document, 'contract');
