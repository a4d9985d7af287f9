import { describe, expect, test } from 'vitest';
import { violations } from './checked-fetch.js';

const URL_OF_SKILL = 'http://127.0.0.1:4000/projects/default/skills/sales_questions';
const URL_OF_SKILLS = 'http://127.0.0.1:4000/projects/default/skills';

const skill = {
  id: '019a2f3d-0b10-7d4a-8c2e-5a7b9c1d3e01',
  name: 'sales_questions',
  type: 'sql',
  params: {},
  agent_ids: [],
  created_at: '2026-01-12T08:10:00.000Z',
  updated_at: '2026-01-12T08:10:00.000Z',
};

const problem = {
  type: '/problems/skill-not-found',
  title: 'Skill not found',
  status: 404,
  detail: 'There is no such skill.',
  instance: '/projects/default/skills/sales_questions',
  request_id: 'r1',
};

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

function answer({ status = 200, headers = {}, body = skill }: Answer): Response {
  return new Response(body === null ? null : JSON.stringify(body), {
    status,
    headers: {
      'Content-Type': 'application/json',
      'X-Request-Id': 'r1',
      ...(status === 200 && !Array.isArray(body) && { ETag: '"o8hHqKZl3mYw2sX0Jt5cVQ"' }),
      ...headers,
    },
  });
}

const asProblem = { 'Content-Type': 'application/problem+json' };

describe('checkedFetch accepts declared answers', () => {
  test.each([
    ['a resource', 'GET', URL_OF_SKILL, answer({})],
    ['a charset', 'GET', URL_OF_SKILL, answer({ headers: { 'Content-Type': 'application/json; charset=utf-8' } })],
    ['a problem', 'GET', URL_OF_SKILL, answer({ status: 404, headers: asProblem, body: problem })],
    ['no body', 'DELETE', URL_OF_SKILL, answer({ status: 204, body: null })],
    ['HEAD', 'HEAD', URL_OF_SKILL, answer({ body: null })],
    ['OPTIONS', 'OPTIONS', URL_OF_SKILL, answer({ status: 204, body: null, headers: { Allow: 'GET' } })],
    ['a next page', 'GET', URL_OF_SKILLS, answer({ body: [skill], headers: { Link: '</x>; rel="next"' } })],
    ['the prefix /api', 'GET', URL_OF_SKILL.replace('/projects', '/api/projects'), answer({})],
    ['a trailing slash', 'GET', `${URL_OF_SKILL}/`, answer({})],
    ['a header of transport', 'GET', URL_OF_SKILL, answer({ headers: { 'X-Frame-Options': 'DENY' } })],
  ])('%s', async (_what, method, url, response) => {
    expect(await violations(method, url, response)).toEqual([]);
  });
});

describe('checkedFetch finds violations', () => {
  test.each([
    ['a status', 'does not declare the status 202', 'GET', URL_OF_SKILL, answer({ status: 202 })],
    [
      'a media type',
      'does not declare text/html',
      'GET',
      URL_OF_SKILL,
      answer({ headers: { 'Content-Type': 'text/html' } }),
    ],
    [
      'a problem sent as JSON',
      'does not declare application/json',
      'GET',
      URL_OF_SKILL,
      answer({ status: 404, body: problem }),
    ],
    ['a missing header', 'lacks the header Location', 'POST', URL_OF_SKILLS, answer({ status: 201 })],
    [
      'a header that does not fit',
      'header X-Request-Id must match',
      'GET',
      URL_OF_SKILL,
      answer({ headers: { 'X-Request-Id': 'a b' } }),
    ],
    [
      'a header that is not a number',
      'header Retry-After must be integer',
      'GET',
      URL_OF_SKILL,
      answer({ status: 503, headers: { ...asProblem, 'Retry-After': 'soon' } }),
    ],
    [
      'an unknown header',
      'does not declare the header x-colour',
      'GET',
      URL_OF_SKILL,
      answer({ headers: { 'X-Colour': 'red' } }),
    ],
    [
      'a Link for a single resource',
      'does not declare the header link',
      'GET',
      URL_OF_SKILL,
      answer({ headers: { Link: '</x>; rel="next"' } }),
    ],
    [
      'a missing field',
      "must have required property 'name'",
      'GET',
      URL_OF_SKILL,
      answer({ body: { ...skill, name: undefined } }),
    ],
    [
      'an unknown field',
      'must NOT have additional properties',
      'GET',
      URL_OF_SKILL,
      answer({ body: { ...skill, colour: 'red' } }),
    ],
    [
      'a field of the wrong form',
      'body/id must match format "uuid"',
      'GET',
      URL_OF_SKILL,
      answer({ body: { ...skill, id: '7' } }),
    ],
    [
      'a field unknown to a problem',
      'must NOT have unevaluated properties',
      'GET',
      URL_OF_SKILL,
      answer({ status: 404, headers: asProblem, body: { ...problem, colour: 'red' } }),
    ],
    [
      'the problem of another operation',
      'must be equal to constant',
      'GET',
      URL_OF_SKILL,
      answer({ status: 404, headers: asProblem, body: { ...problem, type: '/problems/agent-not-found' } }),
    ],
    ['a body after 204', 'where none may come', 'DELETE', URL_OF_SKILL, fakeNoContent('late')],
    ['a body after HEAD', 'where none may come', 'HEAD', URL_OF_SKILL, answer({})],
    [
      'a body that is not JSON',
      'not JSON',
      'GET',
      URL_OF_SKILL,
      new Response('{', { headers: { 'Content-Type': 'application/json', 'X-Request-Id': 'r1' } }),
    ],
    ['an answer at an unknown address', 'promises 404', 'GET', 'http://127.0.0.1:4000/nowhere', answer({})],
    ['an answer to a method that does not exist', 'promises 405', 'PUT', URL_OF_SKILLS, answer({})],
    [
      'a 405 without Allow',
      'lacks the header Allow',
      'PUT',
      URL_OF_SKILLS,
      answer({
        status: 405,
        headers: asProblem,
        body: { ...problem, type: '/problems/method-not-allowed', title: 'Method not allowed', status: 405 },
      }),
    ],
  ])('%s', async (_what, message, method, url, response) => {
    expect((await violations(method, url, response)).join('\n')).toContain(message);
  });
});

const URL_OF_STREAM = 'http://127.0.0.1:4000/projects/default/agents/analyst/completions/stream';

function stream(text: string): Response {
  return new Response(text, { headers: { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Request-Id': 'r1' } });
}

describe('checkedFetch reads an event stream', () => {
  const start = 'data: {"type":"start","prompt":"Why?","trace_id":"r1"}\n\n';
  const end = 'data: {"type":"end","trace_id":"r1"}\n\n';
  const broken = async (text: string) => (await violations('POST', URL_OF_STREAM, stream(text))).join('\n');

  test('of events with comments between them', async () => {
    expect(await broken(`${start}: ping\n\n${end}`)).toBe('');
  });

  test.each([
    ['no event', '', 'does not end with its one event "end"'],
    ['no end', start, 'does not end with its one event "end"'],
    ['an event after the end', start + end + start, 'does not end with its one event "end"'],
    ['two ends', start + end + end, 'does not end with its one event "end"'],
    ['a word that is not JSON', `${start}data: [DONE]\n\n${end}`, 'event 2 that is not JSON'],
    ['an unknown event', `data: {"type":"begin","trace_id":"r1"}\n\n${end}`, 'event 1'],
    ['an event without its trace', `${start}data: {"type":"end"}\n\n`, "property 'trace_id'"],
    ['another field', `${start}id: 1\n\n${end}`, 'a line is not data: id: 1'],
    ['another name', `event: begin\n${start}${end}`, 'named begin, which is not its type'],
    ['an event that is cut off', `${start}${end.trimEnd()}`, 'the last event has no end'],
  ])('and finds %s', async (_what, text, message) => {
    expect(await broken(text)).toContain(message);
  });
});

/** Returns a 204 with a body, which a broken server may send, and which Response cannot represent. */
function fakeNoContent(body: string): Response {
  const response = new Response(body, { headers: { 'X-Request-Id': 'r1' } });
  return new Proxy(response, {
    get: (target, key) => {
      const value: unknown = key === 'status' ? 204 : Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
