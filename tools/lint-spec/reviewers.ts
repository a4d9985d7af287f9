import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { devNull } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { load } from 'js-yaml';
import * as v from 'valibot';
import { escapeToken } from '../../server/contract/json-pointer.js';
import { asRecord } from '../../server/contract/json-record.js';
import { root } from '../../testkit/root.js';
import { RELEASES } from '../contract-files/versions.js';
import { type Code, faultyParts } from '../generator/check/index.js';
import { readYaml, type Yaml, YamlError } from '../generator/check/yaml.js';
import { installed, requireFrom } from '../on-demand/installed.js';
import type { Remark, Severity } from './finding.js';
import { remedyFor } from './remedies.js';

const RULES = new URL('.spectral.yaml', root);
const rulesShape = v.object({
  rules: v.record(
    v.string(),
    v.union([v.string(), v.looseObject({ description: v.optional(v.string()) })]),
  ),
});
const resultsShape = v.array(
  v.object({
    code: v.string(),
    message: v.string(),
    severity: v.number(),
    path: v.array(v.union([v.string(), v.number()])),
  }),
);
const SEVERITIES: readonly Severity[] = ['error', 'warning', 'notice', 'notice'];

/**
 * Reviews a contract with Spectral, by the rules of `.spectral.yaml`. A rule of the project gives its reason as
 * the message, and its message as the remedy.
 * @throws {ReviewerError} if Spectral fails
 */
export const spectral: Reviewer = async ({ file }) => {
  const program = createRequire(import.meta.url).resolve('@stoplight/spectral-cli/dist/index.js');
  // Exemptions in the rules name parts of this file, wherever a draft lies.
  const name = fileURLToPath(new URL('openapi.yaml', root));
  const [results, { rules }] = await Promise.all([
    runReviewer(
      'Spectral',
      [
        ...[program, 'lint', '--quiet', '--format', 'json', '--fail-severity', 'hint'],
        ...['--ruleset', fileURLToPath(RULES), '--stdin-filepath', name],
      ],
      file,
    ),
    readFile(RULES, 'utf8').then((source) => v.parse(rulesShape, load(source))),
  ]);
  return v.parse(resultsShape, results).map(({ code, message, severity, path }): Remark => {
    const rule = rules[code];
    const reason = typeof rule === 'object' ? rule.description : undefined;
    return {
      rule: `spectral/${code}`,
      severity: SEVERITIES[severity] ?? 'notice',
      message: reason ?? message,
      remedy: reason && message,
      pointer: path.map((step) => `/${escapeToken(String(step))}`).join(''),
    };
  });
};

const problemsShape = v.object({
  problems: v.array(
    v.object({
      ruleId: v.string(),
      message: v.string(),
      severity: v.picklist(['error', 'warn']),
      reference: v.optional(v.string()),
      location: v.array(v.object({ pointer: v.optional(v.string(), '') })),
    }),
  ),
});

/**
 * Reviews a description of an API with Redocly, by the rules of `redocly.yaml`.
 * @throws {ReviewerError} if Redocly fails, or cannot be installed
 */
export const redocly: Reviewer = async ({ file }) => {
  await installed('redocly').catch((cause) => {
    throw new ReviewerError('Redocly could not be installed; is there a network?', { cause });
  });
  const program = requireFrom('redocly').resolve('@redocly/cli/bin/cli.js');
  const results = await runReviewer('Redocly', [
    ...[program, 'lint', '--format', 'json', '--max-problems', '1000'],
    ...['--config', fileURLToPath(new URL('redocly.yaml', root)), resolve(file)],
  ]);
  return v.parse(problemsShape, results).problems.map((problem) => ({
    rule: `redocly/${problem.ruleId}`,
    severity: problem.severity === 'warn' ? 'warning' : 'error',
    message: problem.message,
    remedy:
      remedyFor(`redocly/${problem.ruleId}`) || (problem.reference && `Read ${problem.reference}.`),
    pointer: (problem.location[0]?.pointer ?? '').replace(/^#\/?/, '/').replace(/^\/$/, ''),
  }));
};

/** Returns the reviewer that finds what stops the generator. */
export function contractReviewer(code: Code): Reviewer {
  return ({ content }) =>
    faultyParts(content, code).map(({ rule, pointer, message, remedy }) => ({
      rule: `contract/${rule}`,
      severity: 'error',
      pointer,
      message,
      remedy: remedy && `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}.`,
    }));
}

const VERSION = /^\d[0-9A-Za-z.+-]*$/;

/** Finds that a contract has the version of a released one, and says something else. */
export const released: Reviewer = async ({ content, text }) => {
  const { version } = asRecord(asRecord(content)['info']);
  if (typeof version !== 'string' || !VERSION.test(version)) return [];
  const file = join(RELEASES, `${version}.yaml`);
  const kept = await readFile(file, 'utf8').catch(() => text);
  if (kept === text || isDeepStrictEqual(contentOf(kept), content)) return [];
  return [
    {
      rule: 'released/version',
      severity: 'error',
      pointer: '/info/version',
      message: `Version ${version} is released, and ${file} says something else`,
      remedy: 'Raise the version, or take the change back; `npm run spec:review` says how far.',
    },
  ];
};

function contentOf(text: string): unknown {
  try {
    return readYaml(text).content;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return undefined;
  }
}

/** A file that is YAML. */
export interface Source extends Yaml {
  readonly file: string;
  readonly text: string;
}

/** Reviews a file, and returns what it finds. */
export type Reviewer = (source: Source) => Remark[] | Promise<Remark[]>;

/** A reviewer could not do its work; the message gives the reason. */
export class ReviewerError extends Error {}

/**
 * Runs the program of a reviewer, and returns the JSON that it prints.
 * @param input the file that the program reads as its standard input: of a pipe, it may find nothing yet
 * @throws {ReviewerError} if it prints something else
 */
async function runReviewer(
  name: string,
  args: readonly string[],
  input = devNull,
): Promise<unknown> {
  const file = await open(input);
  const child = spawn(process.execPath, args, {
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    stdio: [file.fd, 'pipe', 'pipe'],
  });
  const [output, errors] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  await file.close();
  try {
    return JSON.parse(output);
  } catch (cause) {
    const [reason = 'it printed no JSON'] = `${errors}\n${output}`
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => /(error|cannot|invalid).*:/i.test(line));
    throw new ReviewerError(`${name} could not review the file: ${reason}`, { cause });
  }
}

async function textOf(stream: Readable | null): Promise<string> {
  return stream === null ? '' : text(stream);
}
