import type { IHttpResponse, PrismHttpComponents } from '@stoplight/prism-http';
import { withoutPreference } from './preference.js';

type MockOptions = Parameters<PrismHttpComponents['mock']>[0];

/** A part of a request that breaks the contract, as in the problem `invalid-request`. */
export interface Fault {
  pointer: string;
  message: string;
}

/** The severity of an error among Prism's validations. */
const ERROR = 0;
/** The field that a message names; its path ends at the object. */
const FIELD = /(?:required property|additional properties; found) '([^']+)'/;

/** Returns the faults that Prism found in a request. */
export function faultsOf({ input }: MockOptions): Fault[] {
  return input.validations
    .filter(({ severity }) => severity === ERROR)
    .map(({ path = [], message }) => ({
      pointer: ['', ...path, ...(FIELD.exec(message)?.slice(1) ?? [])].join('/'),
      message: message.replace(/^Request .*?(?=must )/, ''),
    }));
}

/** Leaves out the 422, which Prism prefers to the 400: the contract refuses by it what is valid and cannot be done. */
export function asBadRequest(options: MockOptions): MockOptions {
  const { resource, config } = options;
  const responses = resource.responses.filter(({ code }) => code !== '422');
  const preferred = config.code === 422 ? withoutPreference(options) : options;
  return { ...preferred, resource: { ...resource, responses } };
}

/** Puts the faults of the request in the place of those of the example, if its problem lists any. */
export function withFaults(response: IHttpResponse, faults: readonly Fault[]): IHttpResponse {
  const { body } = response;
  if (typeof body !== 'object' || body === null || !('errors' in body)) return response;
  // Prism says without a place that a body is missing.
  const errors = faults.map(({ pointer, message }) => ({ pointer: pointer || '/body', message }));
  return { ...response, body: { ...body, errors } };
}
