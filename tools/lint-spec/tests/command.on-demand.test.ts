/** Tests of the command, with faults in copies of the contract. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contract } from '../../../review/tests/small-contract.js';
import { root } from '../../../testkit/root.js';
import { DRAFT } from '../../generator/handlers.js';
import { contractReviewer, reviewFile, spectral } from '../review-file.js';

const COMMAND = fileURLToPath(new URL('dist/tools/lint-spec/main.js', root));
const CONTRACT = readFileSync(new URL('openapi.yaml', root), 'utf8');

/** A contract with a fault for each reviewer; `‸` marks the place that is expected of each. */
const FAULTY = `openapi: 3.1.0
info: { title: Small, version: 0.0.0 }
paths:
  /things:
    get:
      operationId: ‸copyThing
      summary: ‸List all things that there are in here
      responses:
        '200':
          description: The thing.
          content:
            application/json:
              schema: { type: string }
              examples: { one: { summary: A thing, value: ‸5 } }
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'roster-lint-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

interface Outcome {
  readonly code: unknown;
  readonly output: string;
  readonly errors: string;
}

function run(args: readonly string[], cwd = folder): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [COMMAND, ...args], { cwd }, (error, output, errors) =>
      resolve({ code: error ? error.code : 0, output, errors }),
    );
  });
}

/** Returns a text without its marks, and the place of each. */
function unmarked(marked: string) {
  const [first = '', ...rest] = marked.split('‸');
  let text = first;
  const places = rest.map((part) => {
    const lines = text.split('\n');
    text += part;
    return `${lines.length}:${(lines.at(-1) ?? '').length + 1}`;
  });
  return { text, places };
}

test('the faults that several reviewers find are one list, by place, each reported once', async () => {
  const { text, places } = unmarked(FAULTY);
  const file = write('faulty.yaml', text);
  const { code, output, errors } = await run([file], fileURLToPath(root));
  const findings = output.split('\n').filter((line) => line.startsWith(file));
  const [handler, summary, example] = places.map((place) => `${file}:${place}: error: `);
  const lines = (start: string | undefined) => findings.filter((line) => line.startsWith(start ?? ''));
  expect(lines(handler)).toEqual([`${handler}the operation copyThing has no handler [contract/operation]`]);
  expect(lines(summary)).toEqual([`${summary}A summary is a heading. [spectral/roster-summary-short]`]);
  expect(lines(example)).toEqual([`${example}the example breaks its schema: must be string [contract/example]`]);
  expect(output).toContain('    Begin one in server/.\n');
  const numbers = findings.map((line) => Number(line.slice(file.length + 1).split(':')[0]));
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  expect([code, errors]).toEqual([1, '']);
});

test('a draft needs no handlers, and may not have the version of another released contract', async () => {
  mkdirSync(join(folder, 'docs/contract'), { recursive: true });
  const look = '{/things: {get: {operationId: look, responses: {200: {description: a}}}}}';
  write('docs/contract/1.0.0.yaml', contract(look));
  const text = contract(look, 'tags: []');
  const file = write('draft.yaml', text);
  const line = text.split('\n').findIndex((one) => one.includes('version')) + 1;
  const { code, output } = await run(['--draft', '--format', 'json', 'draft.yaml']);
  const findings: { rules: string[]; line: number; remedy: string }[] = JSON.parse(output);
  const rules = findings.flatMap((finding) => finding.rules);
  expect(findings).toContainEqual(
    expect.objectContaining({ line, rules: ['released/version'], remedy: expect.stringMatching(/^Raise the version/) }),
  );
  for (const reviewer of ['contract/', 'spectral/']) {
    expect(rules).toContainEqual(expect.stringContaining(reviewer));
  }
  expect(output).not.toContain('handler');
  expect(code).toBe(1);
  rmSync(file);
});

test('a file that is not there, or is not YAML, is one finding with its place', async () => {
  write('broken.yaml', 'openapi: 3.1.0\ninfo: [\n');
  const [missing, broken] = await Promise.all([
    run(['--draft', 'missing.yaml']),
    run(['--draft', '--format', 'github', 'broken.yaml']),
  ]);
  expect(missing).toMatchObject({
    code: 1,
    errors: '',
    output: expect.stringMatching(/^missing.yaml:1:1: error: There is no such file .*\n.*\n1 error/),
  });
  expect(broken).toMatchObject({
    code: 1,
    errors: '',
    output: expect.stringMatching(/^::error file=broken.yaml,line=3,col=1,title=.*\n1 error in/),
  });
});

test('a wrong option is refused with the right ones', async () => {
  const { code, output, errors } = await run(['--format', 'xml']);
  expect([code, output]).toEqual([2, '']);
  expect(errors).toContain('text, github, json');
});

test('a contract that breaks off anywhere is reported with places, and never throws', async () => {
  const lines = CONTRACT.split('\n').length;
  // Without the end of its last schema, the contract may still be valid.
  const lastSchema = [...CONTRACT.matchAll(/^ {4}\w+:$/gm)].at(-1)?.index ?? 0;
  const cut = fc.integer({ min: 0, max: lastSchema });
  await fc.assert(
    fc.asyncProperty(cut, async (end) => {
      const file = write('cut.yaml', CONTRACT.slice(0, end));
      const findings = await reviewFile(file, [contractReviewer(DRAFT)]);
      expect(findings.length).toBeGreaterThan(0);
      for (const { line, column, message } of findings) {
        expect(line).toBeGreaterThan(0);
        expect(line).toBeLessThanOrEqual(lines);
        expect(column).toBeGreaterThan(0);
        expect(message).not.toMatch(/\n\s+at /);
      }
    }),
    { numRuns: 12 },
  );
});

test('every reviewer lives through a small contract that breaks off', async () => {
  const look = '{/things: {get: {operationId: look, responses: {200: {$ref: "#/a"}}}}}';
  const text = contract(look);
  for (const share of [0, 0.7]) {
    write('cut.yaml', text.slice(0, text.length * share));
    const { code, output, errors } = await run(['--draft', 'cut.yaml']);
    expect([code, errors]).toEqual([1, '']);
    expect(output).toMatch(/^cut.yaml:\d+:\d+: error: /);
    expect(output).not.toMatch(/\n\s+at |could not review/);
  }
});

test('a reference to an address is refused at its place, and nothing is fetched', async () => {
  const fetched: (string | undefined)[] = [];
  const server = createServer(({ url }, response) => {
    fetched.push(url);
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A string is for pipes only.
  const address = `http://127.0.0.1:${port}/a.yaml`;
  const file = write('address.yaml', contract(`{/a: {$ref: ${JSON.stringify(address)}}}`, 'components: {}'));
  const findings = await reviewFile(file, [contractReviewer(DRAFT), spectral('.spectral.yaml')]);
  server.close();
  expect(findings.filter(({ message }) => message.includes(address))).toMatchObject([{ severity: 'error' }]);
  expect(fetched).toEqual([]);
});
