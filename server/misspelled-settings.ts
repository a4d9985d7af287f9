import { editDistance } from 'roster-prediction/text';
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
    .map((setting) => ({ setting, distance: editDistance(word, simplify(setting), 2) }))
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
