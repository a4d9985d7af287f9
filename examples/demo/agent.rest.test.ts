import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const DEMO = fileURLToPath(new URL('../../dist/examples/demo/agent.js', import.meta.url));

let demo: ChildProcess;
let output = '';
beforeAll(async () => {
  const { CHAT_URL: _, ...env } = process.env;
  demo = spawn(process.execPath, [DEMO], { env: { ...env, PORT: '0' }, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const chunk of demo.stdout ?? []) {
    output += chunk;
    if (output.includes('Press Ctrl-C')) break;
  }
});
afterAll(() => demo.kill('SIGINT'));

test('says that a script plays the language model', () => {
  expect(output).toContain('a script plays the language model');
});

test('answers with the prediction of the model and its interval', () => {
  const [, value] = /"value":([\d.]+)/.exec(output) ?? [];
  const dollars = `${Number(value).toLocaleString('en')} dollars`;
  expect(output).toMatch(new RegExp(`About ${dollars}, between .* in 9 cases of ten`));
});

test('answers with the counts of the table', () => {
  expect(output).toMatch(/stock \{"sql":"select cut/);
  const numbers = /We have (.*)\./.exec(output)?.[1]?.match(/\d+/g) ?? [];
  expect(numbers.map(Number).reduce((sum, number) => sum + number)).toBe(200);
});

test('prints what connects Claude Code, and where the other hosts are', () => {
  expect(output).toMatch(/^ {2}claude mcp add --transport http roster http:\S+\/mcp$/m);
  expect(output).toMatch(/^http:\S+\/connect has the other hosts/m);
});
