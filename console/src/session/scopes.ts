import type { Problem, Scope } from 'roster-client';

/** The scopes of a key in words: the verb, and what it covers. */
export const SCOPE_WORDS: Readonly<Record<Scope, readonly [may: string, meaning: string]>> = {
  read: ['read', 'see projects, models, skills, agents and chatbots'],
  write: ['write', 'create, change and delete them, and train models'],
  predict: ['predict', 'send rows to models'],
  ask: ['ask', 'ask agents and talk to chatbots'],
  operate: ['operate', 'read the metrics of all owners'],
};

export const SCOPES: readonly Scope[] = ['read', 'write', 'predict', 'ask', 'operate'];

/** Returns the scope that a key lacks, or undefined if a problem is about something else. */
export function missingScope({ type, detail }: Problem): Scope | undefined {
  if (type !== '/problems/missing-scope') return undefined;
  return SCOPES.find((scope) => detail.includes(`'${scope}'`));
}
