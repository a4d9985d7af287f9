/** Compares areas under the curve with those of scikit-learn (`roc_auc_score`), where Python has it. */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pythonOfThisMachine } from '../../../../testkit/python.js';
import { rankClasses } from './ranking.js';

const python = pythonOfThisMachine('sklearn');

/** Reads tables of labels and probabilities, and writes the mean area and that of each class, a line each. */
const AREAS = `
import json, sys
import numpy as np
from sklearn.metrics import roc_auc_score
for line in sys.stdin:
    table = json.loads(line)
    labels, shares = np.array(table["labels"]), np.array(table["shares"])
    if shares.shape[1] == 2:
        mean = roc_auc_score(labels, shares[:, 1])
    else:
        mean = roc_auc_score(labels, shares, multi_class="ovr", average="macro")
    areas = [roc_auc_score(labels == each, shares[:, each]) for each in range(shares.shape[1])]
    print(json.dumps([mean, *areas]))
`;

/** Tables of 2 to 12 classes, each with rows, whose probabilities are thousandths with ties. */
const tables = fc
  .integer({ min: 2, max: 12 })
  .chain((classes) =>
    fc
      .array(
        fc.record({
          label: fc.nat({ max: classes - 1 }),
          weights: fc.array(fc.nat({ max: 4 }), { minLength: classes, maxLength: classes }),
        }),
        { minLength: 1, maxLength: 300 },
      )
      .map((rows) => ({
        labels: [...rows.map(({ label }) => label), ...Array(classes).keys()],
        shares: [...rows.map(({ weights }) => weights), ...Array<number[]>(classes).fill([])].map((weights) =>
          toShares(Array.from({ length: classes }, (_, at) => weights[at] ?? 0)),
        ),
      })),
  );

/** Returns thousandths whose sum is 1, nearly in the proportion of weights. */
function toShares(weights: readonly number[]): number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0) + 1;
  const thousandths = weights.map((weight) => Math.floor((1000 * weight) / sum));
  const rest = 1000 - thousandths.reduce((total, each) => total + each, 0);
  return thousandths.map((each, at) => (at === 0 ? each + rest : each) / 1000);
}

test('the areas of classes are those of scikit-learn, ties and all', ({ skip }) => {
  if (python === undefined) return skip('there is no Python with scikit-learn');
  const sample = fc.sample(tables, { numRuns: 200, seed: 20 });
  const input = sample.map((table) => JSON.stringify(table)).join('\n');
  const { stdout, stderr } = spawnSync(python, ['-c', AREAS], { input, encoding: 'utf8' });
  expect(stderr).toBe('');
  const expected = stdout.trim().split('\n');
  expect(expected).toHaveLength(sample.length);
  for (const [index, { labels, shares }] of sample.entries()) {
    const { auc, by_class } = rankClasses(
      Float64Array.from(shares.flat()),
      Uint16Array.from(labels),
      shares[0]?.length ?? 0,
    );
    const areas: number[] = JSON.parse(expected[index] ?? '[]');
    for (const [at, area] of [auc, ...by_class.map((one) => one.auc)].entries()) {
      expect(area).toBeCloseTo(areas[at] ?? Number.NaN, 12);
    }
  }
});
