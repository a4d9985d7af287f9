/** Asks recheck whether the time of a regular expression grows faster than the text that it is matched with. */
import { requireFrom } from '../on-demand/installed.js';

/** The part of recheck that is used here. */
interface Recheck {
  check(source: string, flags: string, parameters: object): Promise<Diagnostics>;
}

interface Diagnostics {
  readonly status: 'safe' | 'vulnerable' | 'unknown';
  readonly complexity?: { readonly type: string; readonly summary: string };
  readonly attack?: { readonly pattern: string };
  readonly error?: { readonly kind: string; readonly message?: string };
}

export interface Verdict {
  readonly kind: 'linear' | 'polynomial' | 'exponential' | 'unknown';
  /** How the time grows, with a text that shows it; or why that is unknown. */
  readonly reason: string;
}

/** Counts bound the search, not times, so that the verdict is the same on any machine. */
const PARAMETERS = { timeout: null, attackTimeout: null, incubationTimeout: null, recallTimeout: -1 };

const SYSTEMS: Readonly<Record<string, string>> = { darwin: 'macos', win32: 'windows' };

/** Loads recheck: the program of its package for this machine, or where there is none, its JavaScript. */
export function loadJudge(): (source: string, flags: string) => Promise<Verdict> {
  const load = requireFrom('recheck');
  process.env['RECHECK_BACKEND'] = hasProgram(load) ? 'native' : 'pure';
  const { check }: Recheck = load('recheck');
  const verdicts = new Map<string, Promise<Verdict>>();
  return (source, flags) => {
    const key = `/${source}/${flags}`;
    const known = verdicts.get(key);
    if (known) return known;
    const verdict = check(source, flags, PARAMETERS).then(readVerdict);
    verdicts.set(key, verdict);
    return verdict;
  };
}

function hasProgram(load: NodeJS.Require): boolean {
  const { platform, arch } = process;
  try {
    load.resolve(`recheck-${SYSTEMS[platform] ?? platform}-${arch}/package.json`);
    return true;
  } catch {
    return false;
  }
}

function readVerdict({ status, complexity, attack, error }: Diagnostics): Verdict {
  if (status === 'safe') return { kind: 'linear', reason: '' };
  if (status === 'unknown') {
    return { kind: 'unknown', reason: [error?.kind, error?.message].filter(Boolean).join(': ') };
  }
  const kind = complexity?.type === 'exponential' ? 'exponential' : 'polynomial';
  return { kind, reason: `${complexity?.summary}, such as with ${attack?.pattern}` };
}
