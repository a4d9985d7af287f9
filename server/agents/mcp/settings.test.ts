import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parseMcpServers } from './settings.js';

const folder = mkdtempSync(join(tmpdir(), 'roster-mcp-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

test('names have a URL, or a URL with headers, from files too, and with owners', () => {
  const secret = file('hush', 'Bearer 4711\n');
  const text = JSON.stringify({
    docs: 'https://docs.example.com/mcp?v=1',
    shop: {
      url: 'http://127.0.0.1:4000/mcp',
      headers: { Authorization: { file: secret }, 'X-Tenant': 'north shop' },
      owners: ['acme'],
      revision: '2025-11-25',
    },
  });
  const servers = parseMcpServers(text);
  expect(servers).toEqual(
    new Map([
      ['docs', { url: 'https://docs.example.com/mcp?v=1', readHeaders: expect.any(Function) }],
      [
        'shop',
        {
          url: 'http://127.0.0.1:4000/mcp',
          readHeaders: expect.any(Function),
          owners: new Set(['acme']),
          revision: '2025-11-25',
        },
      ],
    ]),
  );
  expect(servers.get('docs')?.readHeaders()).toEqual({});
  expect(servers.get('shop')?.readHeaders()).toEqual({ Authorization: 'Bearer 4711', 'X-Tenant': 'north shop' });
  expect(parseMcpServers('{}').size).toBe(0);
});

const URL_RULE = 'the URL of the MCP server a must be';
const HEADERS = 'the headers of the MCP server a must be';
const server = (settings: object) => JSON.stringify({ a: { url: 'https://hush.example.com', ...settings } });

test.each([
  ['https://hush.example.com', 'must be a JSON object'],
  ['{"a b": "https://hush.example.com"}', 'the name "a b"'],
  ['{"a": "file:hush"}', URL_RULE],
  ['{"a": "https://user:hush@host/mcp"}', URL_RULE],
  ['{"a": "https://hush.example.com/#x"}', URL_RULE],
  ['{"a": {"headers": {"X-Key": "hush"}}}', URL_RULE],
  [server({ owners: 'acme' }), 'the owners of the MCP server a'],
  [server({ header: {} }), 'the unknown setting "header"'],
  [server({ revision: '2024-11-05' }), 'the revision of the MCP server a must be'],
  [server({ headers: ['hush'] }), HEADERS],
  [server({ headers: { 'X Key': 'hush' } }), HEADERS],
  [server({ headers: { 'X-Key': 'hush\r\nX-Other: 1' } }), HEADERS],
  [server({ headers: { 'X-Key': 7 } }), HEADERS],
  [server({ headers: { Host: 'hush' } }), HEADERS],
  [server({ headers: { 'Content-Length': '7' } }), HEADERS],
  [server({ headers: { 'mcp-session-id': 'hush' } }), HEADERS],
  [server({ headers: { 'X-Key': { file: '/no/such/file' } } }), 'which cannot be read'],
  [server({ headers: { 'X-Key': { file: file('two', 'a\nb') } } }), 'one line of visible'],
])('%s is refused in one line without the URL and headers', (text, reason) => {
  const parse = () => parseMcpServers(text);
  expect(parse).toThrow(reason);
  expect(parse).toThrow(/^MCP_SERVERS[^\n]*$/);
  expect(parse).not.toThrow(/hush/);
});
