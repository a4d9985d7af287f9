import type { Model } from 'roster-client';

/** Returns whether a model is better than a constant answer; the service says so in the first words of its summary. */
export function hasLearned({ summary }: Model): boolean {
  return !summary?.startsWith('No better');
}
