import { eachRuleMessage } from '../../../server/contract/rule-messages.js';
import type { FaultyPart } from './fault.js';

/** Returns the rules that have two messages (`x-roster-message`): whoever breaks one could get either. */
export function messageFaults(document: unknown): FaultyPart[] {
  const messages = new Map<string, string>();
  const faults: FaultyPart[] = [];
  eachRuleMessage(document, ({ rule, message, pointer }) => {
    const first = messages.get(rule) ?? message;
    messages.set(rule, first);
    if (first === message) return;
    faults.push({
      pointer: `${pointer}/x-roster-message`,
      message: `one rule is worded in two ways; the other is: ${first}`,
    });
  });
  return faults;
}
