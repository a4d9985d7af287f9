import { findRuleMessages } from '../../../server/contract/rule-messages.js';
import type { FaultyPart } from './fault.js';

/** Returns the rules that have two messages (`x-roster-message`): whoever breaks one could get either. */
export function messageFaults(document: unknown): FaultyPart[] {
  const messages = new Map<string, string>();
  const faults: FaultyPart[] = [];
  for (const { rule, message, pointer } of findRuleMessages(document)) {
    const first = messages.get(rule) ?? message;
    messages.set(rule, first);
    if (first === message) continue;
    faults.push({
      pointer: `${pointer}/x-roster-message`,
      message: `one rule is worded in two ways; the other is: ${first}`,
    });
  }
  return faults;
}
