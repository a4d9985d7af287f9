/**
 * A synthetic table of any length, always the same: seven numeric and three categorical columns, one cell in
 * twenty missing, and a target whose noise differs from row to row.
 */
export const SYNTHETIC_TARGET = 'y';

const NUMBERS = 7;
/** The number of categories of each categorical column. */
const CATEGORIES = [6, 12, 40];
const MISSING_SHARE = 0.05;

const COLUMNS = [
  ...Array.from({ length: NUMBERS }, (_, index) => `x${index}`),
  ...CATEGORIES.map((_, index) => `c${index}`),
  SYNTHETIC_TARGET,
];

export type SyntheticRow = Record<string, number | string | null>;

/** Returns numbers in [0, 1), by the recurrence of Park and Miller (1988). */
function minimalStandard(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** @param seed another seed gives other rows of the same kind */
export function* syntheticRows(count: number, seed = 7): Generator<SyntheticRow> {
  const random = minimalStandard(seed);
  for (let index = 0; index < count; index++) yield syntheticRow(random);
}

function syntheticRow(random: () => number): SyntheticRow {
  const x = Array.from({ length: NUMBERS }, () => Math.round(random() * 1e5) / 1e4);
  const c = CATEGORIES.map((count) => Math.floor(random() * count));
  const [x0 = 0, x1 = 0, x2 = 0, x3 = 0, x4 = 0] = x;
  const [c0 = 0, c1 = 0, c2 = 0] = c;
  const signal = 3 * Math.sin(x0) + 0.5 * x1 * (c0 % 3) + (x2 - 5) ** 2 / 4 + (c1 % 5) + Math.sin(c2 * x3);
  const noise = (random() + random() + random() - 1.5) * (0.2 + x4 / 4);
  const row: SyntheticRow = {};
  for (const [index, value] of x.entries()) {
    row[`x${index}`] = random() < MISSING_SHARE ? null : value;
  }
  for (const [index, value] of c.entries()) {
    row[`c${index}`] = random() < MISSING_SHARE ? null : `kind ${value}`;
  }
  row[SYNTHETIC_TARGET] = Math.round((signal + noise) * 1e4) / 1e4;
  return row;
}

/** Yields the same rows as CSV, in pieces of about a hundred lines. */
export function* syntheticCsv(count: number): Generator<string> {
  let lines = [COLUMNS.join(',')];
  for (const row of syntheticRows(count)) {
    lines.push(Object.values(row).join(','));
    if (lines.length < 500) continue;
    yield `${lines.join('\n')}\n`;
    lines = [];
  }
  yield lines.join('\n');
}
