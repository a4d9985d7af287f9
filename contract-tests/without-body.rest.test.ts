/** Tests of requests that lack the body which their operation requires, against the service with the contract's examples. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../testkit/http/free-port.js';
import { allOperations } from '../testkit/openapi/document.js';
import { type ExampleRequest, exampleRequests } from '../testkit/openapi/example-requests.js';
import { RawExchange } from './raw-exchange.js';
import { startStatefulMock } from './targets/start-mock.js';

let mock: Awaited<ReturnType<typeof startStatefulMock>>;
beforeAll(async () => {
  const port = await freePort();
  // With a public URL, the service has the operations of OAuth too.
  mock = await startStatefulMock({ PORT: `${port}`, PUBLIC_URL: `http://127.0.0.1:${port}` });
});
afterAll(async () => {
  await mock?.stop('SIGKILL');
});

const withBody = allOperations.filter(({ place }) => place.find('requestBody') !== undefined);

test('every operation that takes a body requires it', () => {
  const required = withBody.map(({ place }) => place.find('requestBody', 'required')?.value);
  expect(required).toEqual(withBody.map(() => true));
});

test.each(withBody)('$id answers no body at all as it answers an empty one', async (operation) => {
  const [{ body: _, ...request }] = exampleRequests(operation);
  const missing = await exchange(request);
  expect(missing.status).toBeLessThan(500);
  expect(missing).toEqual(await exchange({ ...request, body: '' }));
});

/** Returns an answer without what is new in each: the identifier of its request and times. */
async function exchange(request: ExampleRequest): Promise<{ status: number; text: string }> {
  const begun = await RawExchange.begin(mock.url, request);
  const answer = await begun.finish();
  const text = await answer.text();
  return { status: answer.status, text: text.replaceAll(/"(request_id|updated_at)":"[^"]*"/g, '"$1":""') };
}
