import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { load } from 'js-yaml';
import * as v from 'valibot';
import { type Code, faultyParts } from '../../contract/check/index.js';
import { asRecord } from '../../contract/json-record.js';
import { writePointer } from '../../contract/pointer.js';
import { RELEASES } from '../../contract/versions.js';
import { readYaml, type Yaml, YamlError } from '../../contract/yaml.js';
import { root } from '../../testkit/root.js';
import { DRAFT } from '../generator/handlers.js';
import { requireFrom } from '../on-demand/installed.js';
import { type Finding, REMEDIES, type Severity } from './finding.js';

interface Remark {
  /** The reviewer and its rule: `spectral/operation-tags`. */
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  /** The remedy; from the table of remedies if the reviewer does not say it. */
  readonly remedy?: string | undefined;
  /** A JSON pointer to the part that is at fault. */
  readonly pointer: string;
}

interface Source extends Yaml {
  readonly file: string;
  readonly text: string;
}

/** Reviews a file, and returns what it finds. */
type Reviewer = (source: Source) => Remark[] | Promise<Remark[]>;

/**
 * Reviews the contract: by the checks of the generator, against the released contracts, and with Spectral.
 * @returns the faults in the order of the file; only one if the file cannot be read
 */
export function reviewContract(file: string, code: Code): Promise<Finding[]> {
  return reviewFile(file, [contractReviewer(code), released, spectral('.spectral.yaml')]);
}

/** Reviews the tour, or the interface of chat servers, which need not be as the service needs its contract. */
export function reviewOther(file: string): Promise<Finding[]> {
  const sound: Reviewer = async (source) =>
    (await contractReviewer(DRAFT)(source)).filter(({ rule }) => rule !== 'contract/shape');
  return reviewFile(file, [sound, spectral('tools/lint-spec/others.spectral.yaml')]);
}

/** @param reviewers the clearest first: its words are taken where several find the same fault */
export async function reviewFile(file: string, reviewers: readonly Reviewer[]): Promise<Finding[]> {
  const source = await read(file);
  if ('severity' in source) return [source];
  const remarks = (await Promise.all(reviewers.map((review) => review(source)))).flat();
  return merge(remarks, source);
}

async function read(file: string): Promise<Source | Finding> {
  try {
    const source = await readFile(file, 'utf8');
    return { file, text: source, ...readYaml(source) };
  } catch (error) {
    const unreadable = { file, severity: 'error', line: 1, column: 1 } as const;
    if (error instanceof YamlError) {
      const remedy = 'Correct the line, or the one before it.';
      return { ...unreadable, ...error.fault, rules: ['file/yaml'], remedy };
    }
    const { code } = asRecord(error);
    if (typeof code !== 'string') throw error;
    const message = code === 'ENOENT' ? 'There is no such file' : `The file cannot be read: ${code}`;
    const remedy = 'Name a file with OpenAPI, such as openapi.yaml.';
    return { ...unreadable, rules: ['file/readable'], message, remedy };
  }
}

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
const released: Reviewer = async ({ content, text: current }) => {
  const { version } = asRecord(asRecord(content)['info']);
  if (typeof version !== 'string' || !VERSION.test(version)) return [];
  const file = join(RELEASES, `${version}.yaml`);
  const kept = await readFile(file, 'utf8').catch(() => current);
  if (kept === current || isDeepStrictEqual(load(kept), content)) return [];
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

const rulesShape = v.object({
  rules: v.record(v.string(), v.union([v.string(), v.looseObject({ description: v.optional(v.string()) })])),
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
 * Returns the reviewer that runs Spectral. A rule of the ruleset itself gives its reason as the message, and its
 * message as the remedy.
 * @param ruleset the path of the rules in the project
 */
export function spectral(ruleset: string): Reviewer {
  return async ({ file }) => {
    const rulesFile = fileURLToPath(new URL(ruleset, root));
    const [results, { rules }] = await Promise.all([
      runSpectral(rulesFile, file),
      readFile(rulesFile, 'utf8').then((source) => v.parse(rulesShape, load(source))),
    ]);
    return results.map((result) => {
      if ('failure' in result) return result.failure;
      const { code, message, severity, path } = result;
      const rule = rules[code];
      const reason = typeof rule === 'object' ? rule.description : undefined;
      return {
        rule: `spectral/${code}`,
        severity: SEVERITIES[severity] ?? 'notice',
        message: reason ?? message,
        remedy: reason && message,
        pointer: writePointer(path),
      };
    });
  };
}

type Result = v.InferOutput<typeof resultsShape>[number] | { readonly failure: Remark };

/** Runs Spectral on a file, and returns its results; that it failed is one. */
async function runSpectral(ruleset: string, path: string): Promise<Result[]> {
  const program = requireFrom('spectral').resolve('@stoplight/spectral-cli/dist/index.js');
  // Exemptions in the rules name parts of this file, wherever a draft lies.
  const name = fileURLToPath(new URL('openapi.yaml', root));
  const quiet = ['--quiet', '--format', 'json', '--fail-severity', 'hint'];
  const resolver = fileURLToPath(new URL('tools/on-demand/spectral/fetch-nothing.cjs', root));
  const args = [program, 'lint', ...quiet, '--ruleset', ruleset, '--resolver', resolver, '--stdin-filepath', name];
  // A file, since Spectral may find nothing yet in a pipe.
  const input = await open(path);
  const child = spawn(process.execPath, args, { stdio: [input.fd, 'pipe', 'pipe'] });
  const printed = [child.stdout, child.stderr].map((stream) => (stream ? text(stream) : ''));
  const [output = '', errors = ''] = await Promise.all(printed);
  await input.close();
  try {
    return v.parse(resultsShape, JSON.parse(output));
  } catch {
    const lines = `${errors}\n${output}`.split('\n').map((line) => line.trim());
    const reason = lines.find((line) => /(error|cannot|invalid).*:/i.test(line));
    const message = `Spectral could not review the file: ${reason ?? 'it printed no JSON'}`;
    const remedy = 'Run it again; the findings of the others hold.';
    return [{ failure: { rule: 'file/reviewer', severity: 'error', message, remedy, pointer: '' } }];
  }
}

/** The rules of the generator's checks that say more clearly what a rule of Spectral finds, too. */
const CLEARER: Readonly<Record<string, readonly (string | undefined)[]>> = {
  'spectral/invalid-ref': ['contract/reference'],
  'spectral/oas3-schema': ['contract/schema', 'contract/shape'],
};

/**
 * Reports each fault once, with the rules that found it at its place, and leaves out what follows from a broken reference.
 * @param remarks those of the clearest reviewer first
 * @returns the faults in the order of the file
 */
export function merge(remarks: readonly Remark[], { file, locate }: Pick<Source, 'file' | 'locate'>): Finding[] {
  const merged = new Map<string, Finding & { rules: string[]; more: number }>();
  const isBroken = remarks.some(({ rule }) => rule === 'contract/reference');
  for (const { rule, pointer, message, severity, remedy = REMEDIES[rule] ?? '' } of remarks) {
    if (isBroken && isConsequence(rule, pointer)) continue;
    const { line, column } = locate(pointer);
    const clearer = [...merged.values()].find(
      (one) => one.line === line && one.column === column && CLEARER[rule]?.includes(one.rules[0]),
    );
    if (clearer) {
      clearer.rules = [...new Set([...clearer.rules, rule])];
      continue;
    }
    // A part that is not there may have hundreds of references, and is reported at the first.
    const at = rule === 'contract/reference' ? '' : pointer;
    const key = JSON.stringify([rule, at, message]);
    const earlier = merged.get(key);
    if (earlier) earlier.more += Number(at !== pointer);
    else {
      const finding = { severity, message, remedy, rules: [rule], more: 0 };
      merged.set(key, { file, line, column, ...finding });
    }
  }
  return [...merged.values()]
    .map(({ more, message, ...one }) => {
      const elsewhere = more === 0 ? '' : `, here and at ${more} more place${more > 1 ? 's' : ''}`;
      return { ...one, message: `${message}${elsewhere}` };
    })
    .sort((one, other) => one.line - other.line || one.column - other.column);
}

/** The component that a broken reference was meant for seems unused, and rules about it find nothing, at no place. */
function isConsequence(rule: string, pointer: string): boolean {
  return rule === 'spectral/oas3-unused-component' || (rule.startsWith('spectral/') && pointer === '');
}
