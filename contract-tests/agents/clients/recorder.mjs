/**
 * Runs the features of a client, and prints each request that its package sent as a line of JSON: the feature, the
 * method, the path, the body and the status of the answer. The packages are those of the folder that this file was
 * copied to.
 */
import { env, stdout } from 'node:process';

export const settings = { baseURL: env.ROSTER_URL, apiKey: env.ROSTER_KEY, model: 'jeweller' };

/** Words of a person, in both APIs. */
export const COST = 'What does it cost?';
export const STOCK = 'How many are in stock?';
export const NEXT = 'And another?';
export const FORM = 'Fill in the form.';

/** The tool of the client. */
export const PARAMETERS = {
  type: 'object',
  properties: { carat: { type: 'number' } },
  required: ['carat'],
  additionalProperties: false,
};

/** The form of an answer. */
export const PRICE = {
  type: 'object',
  properties: { price: { type: 'number' }, currency: { type: 'string', enum: ['USD', 'EUR'] } },
  required: ['price', 'currency'],
  additionalProperties: false,
};

let feature = '';
const send = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const text = await request.clone().text();
  const response = await send(request);
  const { pathname } = new URL(request.url);
  const { status } = response;
  const error = status < 400 ? undefined : await response.clone().text();
  const body = text === '' ? undefined : JSON.parse(text);
  stdout.write(`${JSON.stringify({ feature, method: request.method, path: pathname, body, status, error })}\n`);
  return response;
};

/** Runs features in their order, by their names. One that fails is a line, too. */
export async function play(features) {
  for (const [name, run] of Object.entries(features)) {
    feature = name;
    try {
      const value = await run();
      if (value !== undefined) stdout.write(`${JSON.stringify({ feature, value })}\n`);
    } catch (error) {
      stdout.write(`${JSON.stringify({ feature, failure: `${error?.stack ?? error}`.slice(0, 2000) })}\n`);
    }
  }
}
