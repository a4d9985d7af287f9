/**
 * Tests against the mock alone that a frontend can request every documented answer with the header `Prefer`,
 * and that each is valid by the contract.
 */
import { describe, expect, test } from 'vitest';
import { operations } from '../../testkit/openapi/document.js';
import { exampleRequests } from '../../testkit/openapi/example-requests.js';
import { send } from '../target.js';

describe.each(operations)('$id', (operation) => {
  const [request, ...further] = exampleRequests(operation);
  const answers = operation.place.entries('responses').flatMap(([status, response]) => {
    const examples = response
      .entries('content')
      .flatMap(([mediaType, content]) =>
        content.entries('examples').map(([name, example]) => ({ mediaType, name, example })),
      );
    return examples.length === 0
      ? [{ status, mediaType: '*/*', prefer: `code=${status}`, body: null }]
      : examples.map(({ mediaType, name, example }) => ({
          status,
          mediaType,
          prefer: `code=${status}, example=${name}`,
          body: example.at('value').value,
        }));
  });

  test.each(answers)('can answer $prefer', async ({ status, mediaType, prefer, body }) => {
    const { path, headers, ...init } = request;
    const response = await send(path, { ...init, headers: { ...headers, Prefer: prefer, Accept: mediaType } });
    expect(response.status).toBe(Number(status));
    expect([...response.headers.values()]).not.toContain('');
    const isJson = /[/+]json\b/.test(response.headers.get('Content-Type') ?? '');
    expect(isJson ? await response.json() : await response.text()).toEqual(body ?? '');
  });

  test.each([request, ...further])('accepts the example request: $name', async ({ path, ...init }) => {
    const response = await send(path, init);
    expect(response.ok).toBe(true);
    expect(response.headers.get('sl-violations')).toBeNull();
  });
});
