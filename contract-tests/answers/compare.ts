import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
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

function linesOfChange(name: string, was: unknown, is: unknown): string[] {
  const [before, after] = [JSON.stringify(was), JSON.stringify(is)];
  // The request says what was sent, even where only the answer differs.
  if (before === after) return name === 'request' ? [`    ${name}: ${before}`] : [];
  const [one, other] = [recordOf(was), recordOf(is)];
  const fields = Object.keys({ ...one, ...other });
  if (fields.length === 0 || Array.isArray(was)) {
    return [`    ${name} before: ${before}`, `    ${name} after:  ${after}`];
  }
  return fields.flatMap((field) => {
    const [before, after] = [JSON.stringify(one[field]), JSON.stringify(other[field])];
    if (before === after) return name === 'request' ? [`    ${name}.${field}: ${before}`] : [];
    return [`    ${name}.${field} before: ${before}`, `    ${name}.${field} after:  ${after}`];
  });
}
