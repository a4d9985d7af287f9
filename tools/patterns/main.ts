/** `npm run lint:patterns`: proves that regular expressions take linear time, and lists exceptions for short texts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path/posix';
import { listParts } from '../../contract/parts.js';
import { readYaml } from '../../contract/yaml.js';
import { scriptCommand } from '../../testkit/command-line.js';
import { type Finding, FORMATS } from '../lint-spec/finding.js';
import { type FoundPattern, findPatterns } from './find-patterns.js';
import { loadJudge, type Verdict } from './judge.js';

/** The folders with code that runs on the texts of callers. */
const FOLDERS = ['server', 'prediction/src', 'client/src', 'client/bin', 'console'];

/** The patterns of this file are matched with the texts of callers, too. */
const CONTRACT = 'openapi.yaml';

const SOURCE = /(?<!\.test|\.test-d|\.d)\.(?:ts|tsx|js|mjs)$/;
const OTHERS = /(?:^|\/)(?:node_modules|dist|assembly)\//;

interface Placed extends FoundPattern {
  readonly file: string;
  /** The limit beside a pattern of the contract: the service tries no pattern with a text that is twice as long. */
  readonly maxLength?: number;
}

/** The longest text for which a pattern of the contract may take quadratic time. */
const MAX_SHORT = 1000;

await scriptCommand(
  'lint:patterns',
  'Prove that the time of each regular expression grows no faster than the text that it is matched with.',
)
  .argument('[folder...]', `the folders; without them, ${FOLDERS.join(', ')} and ${CONTRACT}`)
  .action(async (given: readonly string[]) => {
    const folders = given.length > 0 ? given : FOLDERS;
    const patterns = folders.flatMap(patternsBelow);
    if (given.length === 0) patterns.push(...patternsOfContract());
    const judge = loadJudge();
    const findings: Finding[] = [];
    // One after another: the program of recheck takes them all at once, and would keep the machine busy.
    for (const pattern of patterns) {
      const { source, flags } = pattern;
      const verdict =
        source === undefined
          ? ({ kind: 'unknown', reason: 'it has parts that are not constants' } as const)
          : await judge(source, flags);
      findings.push(...report(pattern, verdict));
    }
    process.stdout.write(FORMATS.text(findings, [...folders, `${patterns.length} patterns`]));
    process.exit(findings.some(({ severity }) => severity === 'error') ? 1 : 0);
  })
  .parseAsync();

function patternsBelow(folder: string): Placed[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path.replaceAll('\\', '/')))
    .filter((file) => SOURCE.test(file) && !OTHERS.test(file))
    .flatMap((file) => findPatterns(file, readFileSync(file, 'utf8')).map((pattern) => ({ ...pattern, file })));
}

/** Returns the values of `pattern` in the schemas of the contract. */
function patternsOfContract(): Placed[] {
  const { content, locate } = readYaml(readFileSync(CONTRACT, 'utf8'));
  return listParts(content).flatMap(({ kind, pointer, value: { pattern, maxLength } }) => {
    if (kind !== 'schema' || typeof pattern !== 'string') return [];
    const limit = typeof maxLength === 'number' ? { maxLength } : {};
    // As Ajv compiles it.
    const found = { source: pattern, flags: 'u', text: JSON.stringify(pattern), bound: undefined, ...limit };
    return [{ ...found, ...locate(`${pointer}/pattern`), file: CONTRACT }];
  });
}

function report(pattern: Placed, { kind, reason }: Verdict): Finding[] {
  const { file, line, column, text, maxLength = Number.POSITIVE_INFINITY } = pattern;
  const limit = maxLength <= MAX_SHORT && kind === 'polynomial' ? `by its maxLength` : undefined;
  const bound = pattern.bound ?? limit;
  const place = { file, line, column, rules: [`patterns/${kind}`] };
  if (kind === 'linear') {
    if (bound === undefined) return [];
    const message = `${text} is linear, and the comment says "bounded: ${bound}".`;
    return [{ ...place, severity: 'error', message, remedy: 'Remove the comment.' }];
  }
  if (bound !== undefined && kind !== 'exponential') {
    return [{ ...place, severity: 'notice', message: `${text} is bounded: ${bound}`, remedy: '' }];
  }
  return [
    {
      ...place,
      severity: 'error',
      message: `${text} is not known to take time in proportion to the text: ${reason}.`,
      remedy:
        kind === 'exponential'
          ? 'Write it without a repetition inside another one.'
          : 'Write it so that a search cannot begin again inside itself, or cut the text before, and say so in a comment on the line above: `// bounded: at most 200 characters (MAX_LENGTH)`.',
    },
  ];
}
