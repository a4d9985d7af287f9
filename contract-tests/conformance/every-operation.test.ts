/** Tests of the answers that every operation has in common, walking over the contract. */
import { describe, expect, test } from 'vitest';
import { problemIn } from '../../testkit/http/problem-in.js';
import { operations } from '../../testkit/openapi/document.js';
import { examplePath, exampleRequests } from '../../testkit/openapi/example-requests.js';
import { faulty, send, situation } from '../target.js';

async function problemOf(response: Response): Promise<unknown> {
  return problemIn(await response.json());
}

describe.each(operations)('$id', (operation) => {
  const [{ path, headers, ...init }] = exampleRequests(operation);
  const declares = (status: number) => operation.place.find('responses', `${status}`) !== undefined;
  const takesBody = init.body !== undefined;
  const isText = headers['Content-Type']?.startsWith('text/');
  const isInProject = /\{(project_name|projectName)\}/.test(operation.path);
  const invalid = takesBody ? 'invalid' : 'parameter';

  test('answers 400 for an unknown query parameter', async () => {
    const given = await situation(400, invalid);
    const address = path + (path.includes('?') ? '&' : '?');
    const response = await send(`${address}colour=red`, { ...init, headers: { ...headers, ...given.headers } });
    expect(response.status).toBe(400);
    expect(await problemOf(response)).toMatchObject({ type: '/problems/invalid-request' });
  });

  if (declares(406)) {
    test('answers 406 if none of its media types is acceptable', async () => {
      const given = await situation(406, 'xml');
      const response = await send(path, {
        ...init,
        headers: { ...headers, ...given.headers, Accept: faulty('application/xml', '*/*') },
      });
      expect(response.status).toBe(406);
      expect(await problemOf(response)).toMatchObject({ type: '/problems/not-acceptable' });
    });
  }

  if (takesBody) {
    test('answers 415 for a form', async () => {
      const given = await situation(415, 'form');
      const response = await send(path, {
        ...init,
        headers: { ...given.headers, 'Content-Type': 'application/x-www-form-urlencoded' },
        body: 'name=jewellery',
      });
      expect(response.status).toBe(415);
      expect(await problemOf(response)).toMatchObject({ type: '/problems/unsupported-media-type' });
    });

    test('answers 415 for an encoding that it does not take, and lists those that it takes', async () => {
      const given = await situation(415, 'form');
      const response = await send(path, {
        ...init,
        headers: { ...headers, ...given.headers, 'Content-Encoding': faulty('br', 'identity') },
      });
      expect(response.status).toBe(415);
      expect(response.headers.get('Accept-Encoding')).toMatch(/^(identity|gzip, zstd)$/);
    });
  }

  // Operations that accept megabytes of rows have their own tests of the limit.
  const most = operation.place.find('requestBody', 'x-roster-max-body')?.value;
  if (typeof most === 'number') {
    test('answers 413 for a body one byte over its limit', async () => {
      const given = await situation(413, 'large');
      const response = await send(path, {
        ...init,
        headers: { ...headers, ...given.headers },
        body: faulty(`${init.body}`.padEnd(most + 1), `${init.body}`),
      });
      expect(response.status).toBe(413);
      expect(await problemOf(response)).toMatchObject({ type: '/problems/body-too-large' });
    });
  }

  if (takesBody && !isText) {
    test('answers 400 for a body that is not JSON', async () => {
      const given = await situation(400, 'malformed');
      const response = await send(path, {
        ...init,
        headers: { ...headers, ...given.headers },
        body: faulty(`${init.body?.slice(0, -1)}`, `${init.body}`),
      });
      expect(response.status).toBe(400);
      expect(await problemOf(response)).toMatchObject({ type: '/problems/malformed-body' });
    });
  }

  if (isInProject) {
    test('answers 404 if the project does not exist', async () => {
      const given = await situation(404, 'project');
      const elsewhere = examplePath(operation, { project_name: 'no_such_project', projectName: 'no_such_project' });
      const response = await send(elsewhere, { ...init, headers: { ...headers, ...given.headers } });
      expect(response.status).toBe(404);
      expect(await problemOf(response)).toMatchObject({ type: '/problems/project-not-found' });
    });
  }

  if (isInProject) {
    test('answers 400 for an invalid project name', async () => {
      const given = await situation(400, invalid);
      const name = faulty('-', 'default');
      const elsewhere = examplePath(operation, { project_name: name, projectName: name });
      const response = await send(elsewhere, { ...init, headers: { ...headers, ...given.headers } });
      expect(response.status).toBe(400);
      expect(await problemOf(response)).toMatchObject({ type: '/problems/invalid-request' });
    });
  }
});
