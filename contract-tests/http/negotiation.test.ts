/** Tests that an answer says whether it depends on `Accept`, for all operations. */
import { expect, test } from 'vitest';
import { operations } from '../../testkit/openapi/document.js';
import { examplePath, exampleRequests } from '../../testkit/openapi/example-requests.js';
import { keys, sendAs } from '../target.js';

/** The media types that an operation chooses from when it succeeds. */
function typesOf({ place }: (typeof operations)[number]): readonly string[] {
  const successes = place.entries('responses').filter(([status]) => status.startsWith('2'));
  return [...new Set(successes.flatMap(([, response]) => response.entries('content').map(([type]) => type)))];
}

const choosing = operations.filter(({ place }) => place.find('responses', '406'));

test('the contract has Vary at successful answers of operations with several media types, and at no others', () => {
  for (const operation of choosing) {
    const isNegotiated = typesOf(operation).length > 1;
    for (const [status, response] of operation.place.entries('responses')) {
      if (!status.startsWith('2') || response.entries('content').length === 0) continue;
      const [type, ...others] = response.entries('content').map(([name]) => name);
      const varies = response.find('headers', 'Vary') !== undefined;
      expect(varies, `${operation.id} ${status} ${type}`).toBe(isNegotiated && others.length > 0);
    }
  }
  expect(choosing.filter((operation) => typesOf(operation).length > 1).length).toBeGreaterThan(5);
});

test.each(choosing)('$id refuses other media types, with Vary if it has several', async (operation) => {
  const [{ headers, ...init }] = exampleRequests(operation);
  const key = operation.place.find('security', '0', 'apiKey', '0')?.value === 'operate' ? keys.operate : keys.own;
  const accept = { Accept: 'application/x-unknown' };
  const answer = await sendAs(key, examplePath(operation), { ...init, headers: { ...headers, ...accept } });
  expect(answer.status).toBe(406);
  expect(answer.headers.get('Vary')).toBe(typesOf(operation).length > 1 ? 'Accept' : null);
});
