import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import * as v from 'valibot';
import { escapeToken } from '../../../server/contract/json-pointer.js';
import { root } from '../../../testkit/root.js';
import type { Remark, Severity } from '../finding.js';
import type { Reviewer } from './reviewer.js';
import { runReviewer } from './run-reviewer.js';

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
