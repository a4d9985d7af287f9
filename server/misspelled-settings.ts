import { SETTINGS } from './settings.js';

/** The shortest name, without underscores, whose near misses are looked for. */
const MIN_LENGTH = 7;

/** The shortest such name that may differ in two characters; a shorter one may differ in one. */
const LONG = 10;

/** The settings of earlier releases that have another name now. */
const RENAMED: Readonly<Record<string, string>> = { PREDICTION_THREADS: 'PREDICTION_WORKERS' };

/**
 * Finds variables that are probably misspelled settings: `RATELIMIT`, `MAX_BODDY`, `ROSTER_PORT`, or an earlier name.
 * Names of one word, such as `HOST`, are too common to be a misspelling, except after `ROSTER_`. A setting that is set
 * itself has no misspelling.
 * @returns for each, its name and the nearest setting, in words; not the values, which may be secret
 */
export function findMisspelledSettings(env: Readonly<Record<string, string | undefined>>): string[] {
  const unset = SETTINGS.filter((setting) => !env[setting]);
  return Object.entries(env).flatMap(([name, value = '']) => {
    // Kubernetes and Docker describe a service of this name in such variables: `tcp://10.0.0.7:4000`.
    if (value === '' || SETTINGS.includes(name) || /^(tcp|udp):/.test(value)) return [];
    const setting = findNearest(name, unset);
    return setting === undefined ? [] : [`${name} is not a setting, ${setting} is`];
  });
}

function findNearest(name: string, settings: readonly string[]): string | undefined {
  const renamed = RENAMED[name] ?? '';
  if (settings.includes(renamed)) return renamed;
  const own = /^roster_(?=.)/i.exec(name);
  const word = simplify(own ? name.slice(own[0].length) : name);
  const distances = settings
    .filter((setting) => own !== null || setting.includes('_'))
    .map((setting) => ({ setting, distance: editDistance(word, simplify(setting)) }))
    .filter(({ setting, distance }) => distance <= maxDistance(simplify(setting)))
    .sort((one, other) => one.distance - other.distance);
  return distances[0]?.setting;
}

/** `rate-limit` and `RATELIMIT` are spellings of `RATE_LIMIT`. */
function simplify(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
}

function maxDistance({ length }: string): number {
  if (length < MIN_LENGTH) return 0;
  return length < LONG ? 1 : 2;
}

/**
 * Returns how many characters must be inserted, removed or replaced (V. Levenshtein, 1966), or
 * Infinity if the lengths alone differ by more than two.
 */
function editDistance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, character] of [...one].entries()) {
    const next = [index + 1];
    for (const [at, wanted] of [...other].entries()) {
      const replaced = (row[at] ?? 0) + (character === wanted ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
