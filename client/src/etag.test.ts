import { expect, test } from 'vitest';
import { createRosterClient, ProblemError, type RosterClient, revalidate, tagged } from './index.js';

const SKILL = '/projects/{project_name}/skills/{skill_name}';
const path = { project_name: 'default', skill_name: 'lookup' };

/** Creates a client for which each answer is this one, and lists the `If-None-Match` that it sends. */
function clientOf(status: number, body: object | null, etag?: string) {
  const sent: (string | null)[] = [];
  const roster = createRosterClient({
    baseUrl: 'http://roster.example',
    fetch: async ({ headers }) => {
      sent.push(headers.get('If-None-Match'));
      const type = status < 400 ? 'application/json' : 'application/problem+json';
      return new Response(body && JSON.stringify(body), {
        status,
        headers: { 'Content-Type': type, ...(etag && { ETag: etag }) },
      });
    },
  });
  return { roster, sent };
}

const readSkill = (roster: RosterClient) => (header: { 'If-None-Match'?: string }) =>
  roster.GET(SKILL, { params: { path, header } });

test('a resource comes with its ETag', async () => {
  const { roster } = clientOf(200, { name: 'lookup' }, '"a"');
  const read = tagged(readSkill(roster)({}));
  expect(await read).toEqual({ data: { name: 'lookup' }, etag: '"a"' });
});

test('an answer without an ETag is an error', async () => {
  const { roster } = clientOf(200, { name: 'lookup' });
  await expect(tagged(readSkill(roster)({}))).rejects.toThrow('has no ETag');
});

test('an unchanged resource is the known object', async () => {
  const first = clientOf(200, { name: 'lookup' }, '"a"');
  const known = await revalidate(undefined, readSkill(first.roster));
  const { roster, sent } = clientOf(304, null, '"a"');
  expect(await revalidate(known, readSkill(roster))).toBe(known);
  expect([first.sent, sent]).toEqual([[null], ['"a"']]);
});

test('a changed resource is new, and a problem is thrown', async () => {
  const known = await tagged(readSkill(clientOf(200, { name: 'lookup' }, '"a"').roster)({}));
  const changed = clientOf(200, { name: 'changed' }, '"b"').roster;
  expect(await revalidate(known, readSkill(changed))).toMatchObject({ etag: '"b"' });
  const gone = clientOf(404, { type: '/problems/skill-not-found' }).roster;
  await expect(revalidate(known, readSkill(gone))).rejects.toThrow(ProblemError);
});
