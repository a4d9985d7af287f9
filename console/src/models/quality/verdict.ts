import type { Model } from 'roster-client';

/** Returns whether a model is better than the simplest answer; the service says so in the first words of its summary. */
export function hasLearned({ summary }: Model): boolean {
  return !summary?.startsWith('No better');
}

/** Returns the service's verdict on a model, without its figures, which the page formats as all others; or nothing. */
export function readVerdict({ summary }: Model): string {
  const [verdict = ''] = (summary ?? '').split(':');
  return verdict && `${verdict.replace(/ \([^()]*\)$/, '')}.`;
}
