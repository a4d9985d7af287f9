import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { root } from '../../../testkit/root.js';
import { installed, requireFrom } from '../../on-demand/installed.js';
import { remedyFor } from '../remedies.js';
import { type Reviewer, ReviewerError } from './reviewer.js';
import { runReviewer } from './run-reviewer.js';

const resultsShape = v.object({
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
  return v.parse(resultsShape, results).problems.map((problem) => ({
    rule: `redocly/${problem.ruleId}`,
    severity: problem.severity === 'warn' ? 'warning' : 'error',
    message: problem.message,
    remedy:
      remedyFor(`redocly/${problem.ruleId}`) || (problem.reference && `Read ${problem.reference}.`),
    pointer: (problem.location[0]?.pointer ?? '').replace(/^#\/?/, '/').replace(/^\/$/, ''),
  }));
};
