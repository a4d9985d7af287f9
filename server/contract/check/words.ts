import { eachWordedRule } from '../rule-messages.js';
import type { FaultyPart } from './fault.js';

/** Finds rules that are worded in two ways (`x-roster-says`): whoever breaks one could be told either. */
export function wordFaults(document: unknown): FaultyPart[] {
  const says = new Map<string, string>();
  const faults: FaultyPart[] = [];
  eachWordedRule(document, ({ rule, words, pointer }) => {
    const first = says.get(rule) ?? words;
    says.set(rule, first);
    if (first === words) return;
    const message = `one rule is worded in two ways; the other is: ${first}`;
    faults.push({ pointer: `${pointer}/x-roster-says`, message });
  });
  return faults;
}
