import { ProblemError } from 'roster-client';
import type { Faults } from './draft.js';

/** The faults that a form shows after a refusal: beside its fields, and above them. */
export interface Refusal {
  readonly faults: Faults;
  /** Faults of fields that the form does not show, each with its place. */
  readonly others: readonly string[];
  /** The error, where it is not about fields. */
  readonly error: unknown;
}

/**
 * Finds the fields that an error is about, by its JSON pointers such as `/body/agent/skills/1`.
 * @param names the fields of the form
 */
export function refusalOf(error: unknown, body: string, names: readonly string[]): Refusal {
  if (!(error instanceof ProblemError)) return { faults: {}, others: [], error };
  const { problem } = error;
  if (problem.type === '/problems/name-taken')
    return { faults: { name: problem.detail.replace(/\.$/, '') }, others: [], error: null };
  if (!('errors' in problem)) return { faults: {}, others: [], error };
  const faults: Record<string, string> = {};
  const others: string[] = [];
  for (const place of problem.errors) {
    const pointer = 'pointer' in place ? (place.pointer ?? '') : '';
    const [root, resource, name = '', ...rest] = pointer.split('/').slice(1);
    if (root === 'body' && resource === body && names.includes(name)) {
      // A name that was chosen stands in the message; of JSON, one must know the place.
      const isListed = rest.every((key) => /^\d+$/.test(key));
      const message = isListed ? place.message : `“${rest.join('/')}” ${place.message}`;
      faults[name] = faults[name] ? `${faults[name]}; ${message}` : message;
    } else others.push(`${pointer} ${place.message}`);
  }
  return { faults, others, error: null };
}
