import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import { recordOf } from '../fuzz/values/schema.js';

/** A request whose answer is not the same in two recordings. */
export interface Difference {
  readonly operation: string;
  /** Its place in the corpus. */
  readonly at: string;
  /** The lines of the recordings; undefined where it is missing. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Returns the differences between two recordings, in their order. */
export async function compareRecordings(before: string, after: string): Promise<Difference[]> {
  const others = new Map<string, string>();
  for await (const line of linesOf(after)) others.set(placeOf(line).at, line);
  const differences: Difference[] = [];
  for await (const line of linesOf(before)) {
    const place = placeOf(line);
    const other = others.get(place.at);
    others.delete(place.at);
    if (other !== line) differences.push({ ...place, before: line, after: other });
  }
  for (const line of others.values()) {
    differences.push({ ...placeOf(line), before: undefined, after: line });
  }
  return differences;
}

function linesOf(file: string): AsyncIterable<string> {
  return createInterface(createReadStream(file));
}

function placeOf(line: string): { at: string; operation: string } {
  const { at, operation } = recordOf(JSON.parse(line));
  return { at: String(at), operation: String(operation) };
}

/**
 * Returns the number of differences of each operation, and the first ones whole.
 * @param shown the number of differences of an operation that are shown
 */
export function reportDifferences(differences: readonly Difference[], shown: number): string {
  return [...new Set(differences.map(({ operation }) => operation))]
    .flatMap((operation) => {
      const all = differences.filter((one) => one.operation === operation);
      return [`${operation}: ${all.length} differ`, ...all.slice(0, shown).map(reportDifference)];
    })
    .join('\n');
}

function reportDifference({ at, before, after }: Difference): string {
  if (before === undefined || after === undefined) {
    return `  ${at}\n    only ${before === undefined ? 'after' : 'before'}: ${before ?? after}`;
  }
  const [was, is] = [recordOf(JSON.parse(before)), recordOf(JSON.parse(after))];
  const lines = Object.keys({ ...was, ...is })
    .filter((name) => name !== 'at')
    .flatMap((name) => linesOfChange(name, was[name], is[name]));
  return [`  ${at}`, ...lines].join('\n');
}

/** Returns the parts that differ, and the whole request, of which they are the answer. */
function linesOfChange(name: string, was: unknown, is: unknown): string[] {
  if (isDeepStrictEqual(was, is)) {
    return name === 'request' ? [`    ${name}: ${JSON.stringify(was)}`] : [];
  }
  if (isRecord(was) && isRecord(is)) {
    return Object.keys({ ...was, ...is }).flatMap((key) =>
      linesOfChange(`${name}.${key}`, was[key], is[key]),
    );
  }
  if (Array.isArray(was) && Array.isArray(is)) {
    const [gone, come] = [without(was, is), without(is, was)];
    return [
      ...gone.map((one) => `    - ${name}: ${one}`),
      ...come.map((one) => `    + ${name}: ${one}`),
    ];
  }
  const [before, after] = [JSON.stringify(was) ?? 'nothing', JSON.stringify(is) ?? 'nothing'];
  const start = Math.max(0, firstDifference(before, after) - MARGIN);
  const cut = (text: string) => (start > 0 ? '…' : '') + text.slice(start, start + MAX_SHOWN);
  return [`    - ${name}: ${cut(before)}`, `    + ${name}: ${cut(after)}`];
}

/** The characters of a long text that are shown, some of them before its first difference. */
const MAX_SHOWN = 800;
const MARGIN = 200;

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

function without(all: readonly unknown[], others: readonly unknown[]): string[] {
  const known = new Set(others.map((one) => JSON.stringify(one)));
  return all.map((one) => JSON.stringify(one)).filter((one) => !known.has(one));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
