import { asRecord, type JsonRecord } from '../../contract/json-record.js';
import type { Contract } from './contract.js';
import { type Difference, difference, type Pair } from './finding.js';
import type { Rule } from './rules.js';

/** The remaining life of a part of a contract. */
interface Life {
  readonly deprecated: boolean;
  /** The day, as `2027-11-23`, until which it works at least; empty if none is announced. */
  readonly sunset: string;
}

/**
 * Returns the day until which a part works at least: `x-roster-sunset`, or `x-sunset`, which oasdiff reads. Empty if
 * neither is a date.
 * @param parts the part, or the schemas that describe it together
 */
export function sunsetOf(...parts: readonly JsonRecord[]): string {
  return parts.map(sunsetIn).find((day) => day !== '') ?? '';
}

function sunsetIn(part: JsonRecord): string {
  const stated = asRecord(part['x-roster-sunset'])['sunset'] ?? part['x-sunset'];
  const text = stated instanceof Date ? stated.toISOString() : String(stated ?? '');
  return /^\d{4}-\d{2}-\d{2}/.exec(text)?.[0] ?? '';
}

/** Compares the deprecation and the sunset of a part. A sunset is a promise: it may move later, and never nearer. */
export function compareLife(contracts: Pair<Contract>, parts: Pair<JsonRecord | undefined>, lives: Pair<Life>) {
  const { before, after } = lives;
  const tell = (rule: Rule) => [difference(contracts, rule, { ...parts, was: before.sunset, is: after.sunset })];
  if (before.deprecated && !after.deprecated) return tell('no-longer-deprecated');
  return [
    ...(after.deprecated && !before.deprecated ? tell('deprecated') : []),
    ...(before.sunset && after.sunset !== before.sunset ? tell(sunsetRule(lives)) : []),
  ];
}

function sunsetRule({ before, after }: Pair<Life>): Rule {
  if (after.sunset === '') return 'sunset-removed';
  return after.sunset < before.sunset ? 'sunset-shortened' : 'sunset-extended';
}

/** Compares the deprecation and the sunset of an operation or a parameter. */
export function comparePartLife(contracts: Pair<Contract>, parts: Pair<JsonRecord>): Difference[] {
  const life = (part: JsonRecord): Life => ({ deprecated: part['deprecated'] === true, sunset: sunsetOf(part) });
  return compareLife(contracts, parts, { before: life(parts.before), after: life(parts.after) });
}

/**
 * Returns the rule of a removal: a part whose sunset had passed when the new version was written is retired, which
 * its clients knew.
 * @param rule the rule of a part that was not announced to go
 * @param parts the removed part, or the schemas that describe it together
 */
export function ruleOfRemoval({ after }: Pair<Contract>, rule: Rule, ...parts: readonly JsonRecord[]): Rule {
  const sunset = sunsetOf(...parts);
  return sunset !== '' && sunset <= after.day ? 'retired' : rule;
}
