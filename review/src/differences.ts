import { asRecord } from '../../contract/json-record.js';
import { partPointers } from '../../contract/parts.js';
import { escapeToken, splitPointer, valueAt } from '../../contract/pointer.js';
import { type Contract, texts } from './contract.js';
import type { Pair } from './finding.js';
import { canonical } from './schema/shape.js';

/** A part that differs between two documents. */
export interface PartDifference {
  /** A JSON pointer to the part: in the new document, or in the old one if it was removed. */
  readonly pointer: string;
  /** The old value as JSON, a text as it is; empty if there was none. */
  readonly was: string;
  readonly is: string;
  /** True if it is text for people, or an example. */
  readonly isProse: boolean;
}

/** Keywords with text for people, and examples. They do not concern programs. */
const PROSE = new Set([
  'title',
  'summary',
  'description',
  'example',
  'examples',
  'externalDocs',
  'tags',
  'contact',
  'license',
  'x-roster-message',
]);

/** Returns every part in which two documents differ, the smallest ones. */
export function findDifferences({ before, after }: Pair<unknown>): PartDifference[] {
  const found: PartDifference[] = [];
  const compared = new Map<object, Set<object>>();
  const parts = [before, after].map(partPointers);
  const isText = (at: string, key: string) => PROSE.has(key) && parts.some((pointers) => pointers.has(at));
  const tell = (old: unknown, now: unknown, pointer: string, isProse: boolean) =>
    found.push({ pointer, was: describeValue(old), is: describeValue(now), isProse });

  const compare = (old: unknown, now: unknown, at: string, isProse: boolean): void => {
    if (canonicalEqual(old, now)) return;
    const both = isObject(old) && isObject(now) && Array.isArray(old) === Array.isArray(now);
    if (!both) {
      tell(old, now, at, isProse);
      return;
    }
    const partners = compared.get(old) ?? new Set();
    if (partners.has(now)) return;
    compared.set(old, partners.add(now));
    for (const { key, pair } of Array.isArray(old) && Array.isArray(now)
      ? elementPairs(old, now)
      : memberPairs(old, now)) {
      const inner = isProse || isText(at, key);
      compare(pair.before, pair.after, `${at}/${escapeToken(key)}`, inner);
    }
  };
  compare(before, after, '', false);
  return found;
}

interface KeyedPair {
  readonly key: string;
  readonly pair: Pair<unknown>;
}

function memberPairs(old: object, now: object): KeyedPair[] {
  const [before, after] = [new Map(Object.entries(old)), new Map(Object.entries(now))];
  return [...new Set([...before.keys(), ...after.keys()])].map((key) => ({
    key,
    pair: { before: before.get(key), after: after.get(key) },
  }));
}

/** Pairs elements by their position, from both ends: an element that was put between them is one difference. */
function elementPairs(old: readonly unknown[], now: readonly unknown[]): KeyedPair[] {
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && canonicalEqual(old[start], now[start])) start++;
  let end = 0;
  while (end < shorter - start && canonicalEqual(old.at(-1 - end), now.at(-1 - end))) end++;
  const length = Math.max(old.length, now.length) - start - end;
  return Array.from({ length }, (_, step) => {
    const index = start + step;
    const inside = (list: readonly unknown[]) => (index < list.length - end ? list[index] : undefined);
    return { key: String(index), pair: { before: inside(old), after: inside(now) } };
  });
}

function canonicalEqual(one: unknown, other: unknown): boolean {
  return one === other || canonical(one) === canonical(other);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function describeValue(value: unknown): string {
  if (value === '') return '""';
  return typeof value === 'string' ? value : canonical(value);
}

/** Steps of a pointer that say nothing to a reader. */
const STRUCTURE = new Set(['components', 'schemas', 'properties', 'content', 'schema', 'responses']);

/** Returns the words for a part of a contract, such as `getSkill 200 description` or `Skill name description`. */
export function partName({ before, after }: Pair<Contract>, pointer: string): string {
  const steps = splitPointer(pointer);
  const [section = '', path = '', method = '', ...rest] = steps;
  if (section !== 'paths' || path === '') return readable(steps);
  const at = pointer.split('/').slice(0, 4).join('/');
  const { operationId } = { ...asRecord(valueAt(before.document, at)), ...asRecord(valueAt(after.document, at)) };
  const [name] = texts([operationId]);
  if (name !== undefined) return [name, readable(rest)].filter(Boolean).join(' ');
  return [method.toUpperCase(), path, readable(rest)].filter(Boolean).join(' ');
}

function readable(steps: readonly string[]): string {
  return steps.filter((step, index) => index === steps.length - 1 || !STRUCTURE.has(step)).join(' ');
}
