import { createHash } from 'node:crypto';
import { Client } from '../../../testkit/http/client.js';
import { fieldOf, textOf } from '../../../testkit/json.js';

/** Returns a skill of about ten pages, whose contents derive from its number. */
export function largeSkill(number: number) {
  return { name: `large_${number}`, type: 'lookup', params: { text: textOfNumber(number) } };
}

/**
 * Reads skills one by one, and returns those that differ from what was written.
 * @param written the numbers of the skills that must exist
 * @param all if given, other skills with lower numbers than this must not exist
 */
export async function missingOf(
  url: string,
  written: readonly number[],
  all?: number,
): Promise<string[]> {
  const client = new Client();
  const faults: string[] = [];
  const expected = new Set(written);
  const numbers = all === undefined ? written : Array.from({ length: all }, (_, number) => number);
  for (const number of numbers) {
    const { name } = largeSkill(number);
    const { status, body } = await client.send('GET', `${url}/projects/default/skills/${name}`);
    const isWhole = fieldOf(fieldOf(body, 'params'), 'text') === textOfNumber(number);
    const isRight = expected.has(number) ? status === 200 && isWhole : status === 404;
    if (!isRight) faults.push(`${name}: ${status} ${textOf(body, 'title')}`);
  }
  client.close();
  return faults;
}

function textOfNumber(number: number): string {
  const seed = createHash('sha512').update(String(number)).digest('hex');
  return seed.repeat(300);
}
