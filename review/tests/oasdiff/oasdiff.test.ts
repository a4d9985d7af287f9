/**
 * Holds the review beside oasdiff: an example for each of its checks, and both verdicts. The table is
 * `docs/contract/oasdiff.md`; `npx vitest run review/tests/oasdiff -u` writes it again.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { code } from '../../src/markdown.js';
import { broken, review, summarize } from '../small-contract.js';
import { exampleOf } from './examples.js';

/** Checks without an example, and the reason. */
const NOT_COMPARED: readonly (readonly [ids: RegExp, reason: string])[] = [
  [/stability/, 'levels of stability are an extension of oasdiff; where one changes, the review lists the change'],
  [
    /sunset-(missing|parse|invalid)|sunset-date-too-small/,
    'about one version, not about a change; `npm run lint:spec` refuses a deprecation without dates',
  ],
  [/^api-(major-)?version-/, 'the first line of the review says which version the changes need'],
];

/** Checks whose verdict differs, and the reason. A warning of oasdiff is left to its reader; the review decides. */
const DIFFERENT: readonly (readonly [ids: RegExp, reason: string])[] = [
  [
    /^api-(global-)?security-(?!component)/,
    'whoever has a key that was enough, and is not enough now, gets 401 or 403',
  ],
  [/^api-security-component-/, 'another type or address changes how every caller gets or sends its key'],
  [
    /^api-(operation-id|tag)-/,
    'generated clients name the method after the operationId, and its group after the first tag',
  ],
  [
    /^request-.*-default-value-/,
    'a default that changes, appears or goes changes the result for those who leave the field out',
  ],
  [
    /became-(not-)?(read|write)-only$/,
    'a field that becomes read-only can no longer be sent, and one that becomes write-only is no longer answered',
  ],
  [/prefix-items-/, 'a schema for a position narrows what may stand there, whoever sends it'],
  [/-x-extensible-enum-/, 'an extension; where one changes, the review lists the change'],
  [/^response-.*-any-of-added$/, 'a further form of an answer is one that readers have no case for, as in a `oneOf`'],
  [
    /^response-.*-all-of-removed$/,
    'the bound that goes with it is loosened, which breaks readers as it does without `allOf`',
  ],
  [/^response-.*-unevaluated-properties-removed$/, 'readers ignore fields that they do not know'],
  [/^response-.*-type-compatible$/, 'the format is a promise to readers, who may have chosen a type by it'],
  [/^response-media-type-name-changed$/, 'readers that ask for the old type get 406'],
];

interface Verdict {
  readonly id: string;
  readonly level: string;
  readonly rules: readonly string[];
  readonly broken: readonly string[];
}

const checks = readFileSync(new URL('levels.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(' '));
const verdicts = checks.map(([id = '', level = '']): Verdict | { id: string; level: string } => {
  const example = exampleOf(id);
  if (!example) return { id, level };
  const found = review(...example);
  return {
    id,
    level,
    rules: [...new Set(summarize(found).map((line) => line.split(' ')[0] ?? ''))],
    broken: broken(found),
  };
});
const compared = verdicts.filter((one): one is Verdict => 'rules' in one);
const others = verdicts.filter((one) => !('rules' in one));
const differs = ({ level, broken: parties }: Verdict) => level !== 'warn' && (level === 'err') !== parties.length > 0;
const reasonFor = (reasons: typeof DIFFERENT, id: string) => reasons.find(([ids]) => ids.test(id))?.[1];

test('each check of oasdiff has an example, or a reason why it has none', () => {
  expect(others.filter(({ id }) => reasonFor(NOT_COMPARED, id) === undefined)).toEqual([]);
});

test('where the verdicts differ, there is a reason, and each reason is needed', () => {
  const different = compared.filter(differs).map(({ id }) => id);
  expect(different.filter((id) => reasonFor(DIFFERENT, id) === undefined)).toEqual([]);
  expect(DIFFERENT.filter(([ids]) => !different.some((id) => ids.test(id)))).toEqual([]);
});

test('the table of all checks is up to date', async () => {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const ours = ({ rules }: Verdict) => rules.map(code).join(', ') || 'listed as another difference';
  const lines = [
    '# The checks of oasdiff, and those of the review',
    '',
    `[oasdiff](https://github.com/oasdiff/oasdiff) (commit 4553c69d) has ${checks.length} checks. Each has one example here, a pair of small contracts in \`review/tests/oasdiff/\`, and the verdict of \`npm run spec:review\` on it. Of the ${compared.length} with an example, ${compared.filter((one) => !differs(one)).length} agree: an error of oasdiff breaks someone, an info breaks nobody, and of a warning either is right.`,
    '',
    '## Where the verdicts differ',
    '',
    row(['checks', 'why']),
    '|---|---|',
    ...DIFFERENT.map(([ids, reason]) =>
      row([
        compared
          .filter((one) => differs(one) && reasonFor(DIFFERENT, one.id) === reason && ids.test(one.id))
          .map(({ id }) => code(id))
          .join('<br>'),
        reason,
      ]),
    ),
    '',
    '## Not compared',
    '',
    row(['checks', 'why']),
    '|---|---|',
    ...NOT_COMPARED.map(([, reason]) =>
      row([
        others
          .filter(({ id }) => reasonFor(NOT_COMPARED, id) === reason)
          .map(({ id }) => code(id))
          .join('<br>'),
        reason,
      ]),
    ),
    '',
    '## All examples',
    '',
    row(['check', 'oasdiff', 'rules of the review', 'breaks']),
    '|---|---|---|---|',
    ...compared.map((one) => row([code(one.id), one.level, ours(one), one.broken.join(', ') || 'nobody'])),
  ];
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../../../docs/contract/oasdiff.md');
});
