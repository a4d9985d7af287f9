import type { Problem, Scope } from 'roster-client';

/** The words for what each scope covers; its name is the verb. */
export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  read: 'see projects, models, skills, agents and chatbots',
  write: 'create, change and delete them, and train models',
  predict: 'send rows to models',
  ask: 'ask agents and talk to chatbots',
  operate: 'read the metrics and the audit log of all owners',
  keys: 'create and revoke keys that can do no more',
};

/** Returns the scope that a key lacks, or undefined if a problem is about something else. */
export function missingScope({ type, detail }: Problem): string | undefined {
  if (type !== '/problems/missing-scope') return undefined;
  return Object.keys(SCOPE_WORDS).find((scope) => detail.includes(`'${scope}'`));
}
