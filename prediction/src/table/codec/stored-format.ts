import * as v from 'valibot';

const headSchema = v.object({ format: v.string() });

/**
 * Refuses what a later release wrote, in words that say so; any other fault is left to the decoder.
 * @param head the head of a model or a table, as it was stored
 * @param format the format that this release reads, such as `roster-model/2`
 * @throws {Error} if the head has the same format with a higher number
 */
export function refuseLaterFormat(head: unknown, format: string): void {
  if (!v.is(headSchema, head)) return;
  const [kind, number] = format.split('/');
  const [storedKind, storedNumber] = head.format.split('/');
  if (storedKind !== kind || !(Number(storedNumber) > Number(number))) return;
  throw new Error(
    `A later release of Roster wrote it, in the format ${head.format}; this one reads ${format}.`,
  );
}
