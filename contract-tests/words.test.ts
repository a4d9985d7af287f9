/** Tests that texts for people do not return to the dialect that this project once had. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { root } from '../testkit/root.js';
import { listFiles } from './list-files.js';

const START = String.raw`(?:^|[.!?] |^\s*(?:\*|\/\/|#|-) |\/\*\* )`;
/** A word that ends a phrase, so that "of its own" has no noun after it. */
const AFTER = String.raw`(?=$|[.,;:)\]"\`|]| (?:and|or|of|in|for|from|that|which|to|at|on|with|under|if|then)\b)`;

/** Each pattern has the advice of its finding. Questions are no findings. */
const PATTERNS: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/\b[Tt]old\b/, 'write "reported", "shown" or "distinguished", or name who knows'],
  [new RegExp(String.raw`\bof (?:its|their|our) own${AFTER}`), 'write "its own process" or "a separate process"'],
  [new RegExp(`${START}Of [^.,|]{1,70},`), 'begin with the subject, "Among", "For" or "If"'],
  [new RegExp(String.raw`${START}Who(?:ever|se)?\b(?!.*\?)`), 'name the caller, the user or the function'],
  [new RegExp(String.raw`${START}What\b(?!.*\?)`), 'begin with the noun that "what" stands for'],
  [
    new RegExp(String.raw`${START}How (?:many|much|often|long|far)\b(?!.*\?)`),
    'write "the number of", "the time" or the like',
  ],
];

/** Texts of the past, of others, and made from the contract. */
const LEFT_OUT = [
  /^CHANGELOG\.md$/,
  /^generated\//,
  /^docs\/decisions\/0\d/,
  /^docs\/contract\//,
  /^bench\/results\//,
  /^contract-tests\/releases\//,
  /^contract-tests\/words\.test\.ts$/,
  /^python\/src\/roster\/_api\.py$/,
  /^review\/(?:dist|generated)\//,
];

/** Messages of released versions, which stay, and prompts that were tuned with their words. */
const ALLOWED = [
  'Give each column a name of its own.',
  'of their own. Rename this column',
  'move it to a sheet of its own',
  'by a function of its own',
  'asks for a moment of its own',
  'a field of its own',
  'tools of its own',
  'of its own accord',
  'of their own accord',
  'JSON of its own',
  "'of its own'",
  '{one of its own}',
  '- What a tool gives stands between <result> and </result>.',
  'Of [\\d,]+ rows',
];

const TEXTS = /\.(?:ts|tsx|js|py|md|yaml|yml|css|html|conf|service)$/;

function findings(text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const rest = ALLOWED.reduce((now, allowed) => now.replace(allowed, ''), line);
    return PATTERNS.flatMap(([pattern, advice]) =>
      pattern.test(rest) ? [`${index + 1}: ${line.trim()} (${advice})`] : [],
    );
  });
}

test('texts and comments say who does what', () => {
  const folder = fileURLToPath(root);
  const files = listFiles(folder, TEXTS).map((path) => path.slice(folder.length));
  const faults = files
    .filter((path) => !LEFT_OUT.some((pattern) => pattern.test(path)))
    .flatMap((path) => findings(readFileSync(`${folder}${path}`, 'utf8')).map((finding) => `${path}:${finding}`));
  expect(files.length).toBeGreaterThan(1000);
  expect(faults).toEqual([]);
});

describe('a sentence is a finding', () => {
  test.each([
    'The fault is told with its line.',
    'It runs in a process of its own.',
    '// Of two rows, the later one counts.',
    ' * Who calls this waits.',
    'It stops. Whoever asks meanwhile waits for this one.',
    '/** What a cursor says. */',
    '# How many rows are kept.',
  ])('%s', (line) => {
    expect(findings(line)).toHaveLength(1);
  });

  test.each([
    'It has the rows of its own table.',
    'Two of them, the later ones, count.',
    '## What is public',
    'What is next? And how many are there?',
    'How many rows does it keep?',
    'toldYou',
  ])('and not if it is plain: %s', (line) => {
    expect(findings(line)).toEqual([]);
  });
});
