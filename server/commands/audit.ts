import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Command, InvalidArgumentError } from 'commander';
import { asRecord } from '../../contract/json-record.js';
import { type ChainHead, checkChains, type EventFilter, listEvents } from '../store/audit-trail.js';
import { parseDay, parseMoment } from './moments.js';
import { onStore } from './on-store.js';

export const auditCommand = new Command('audit').description(
  'check and export the audit log in the store at DATABASE_URL',
);

auditCommand
  .command('verify')
  .description('follow the chain of each owner, print its last event, and fail at the first fault')
  .option('--against <file>', 'what an earlier verify or export printed: its events must be there')
  .action(verify);

async function verify({ against }: { readonly against?: string }): Promise<void> {
  const known = against === undefined ? [] : await readHeads(against);
  const chains = await onStore(async (store) => {
    const all = [];
    for await (const chain of checkChains(store, known)) all.push(chain);
    return all;
  });
  let events = 0;
  const faults = [];
  const newer = [];
  for (const { head, events: count, fault, ahead } of chains) {
    events += count;
    if (fault === undefined) process.stdout.write(`${JSON.stringify(head)}\n`);
    else faults.push(`${describeOwner(head)}: ${fault}`);
    if (ahead) newer.push(`${describeOwner(head)}: ${ahead.sequence}, and the log ends with ${head.sequence}`);
  }
  if (faults.length > 0) throw new Error(`the audit log is not whole: ${faults.join('; ')}`);
  if (newer.length > 0) {
    throw new Error(
      `each chain is whole, but heads in ${against} are newer than the audit log (${newer.join('; ')}): if a backup was restored, these events were written after it; otherwise they were taken away`,
    );
  }
  process.stderr.write(`${events} events of ${chains.length} owners; each chain is whole.\n`);
}

function describeOwner({ owner }: ChainHead): string {
  return owner === null ? 'unknown callers' : `owner ${JSON.stringify(owner)}`;
}

/**
 * Reads the last event of each owner from lines of JSON.
 * @throws if a line has no owner, sequence and hash
 */
async function readHeads(file: string): Promise<ChainHead[]> {
  const heads = new Map<string | null, ChainHead>();
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    number += 1;
    const head = parseHead(line);
    if (!head) {
      throw new Error(`line ${number} of ${file} is not an event, as "audit export" writes it`);
    }
    if (head.sequence > (heads.get(head.owner)?.sequence ?? 0)) heads.set(head.owner, head);
  }
  if (number === 0) throw new Error(`${file} is empty`);
  return [...heads.values()];
}

function parseHead(line: string): ChainHead | undefined {
  try {
    const { owner, sequence, hash } = asRecord(JSON.parse(line));
    if (typeof owner !== 'string' && owner !== null) return undefined;
    const isHead = Number.isSafeInteger(sequence) && typeof hash === 'string';
    return isHead ? { owner, sequence: Number(sequence), hash } : undefined;
  } catch {
    return undefined;
  }
}

auditCommand
  .command('export')
  .description('print events as lines of JSON, in the order of their times')
  .option('--since <time>', 'the time of the first: 2027-01-31, or 2027-01-31T12:00:00Z', readTime)
  .option('--until <time>', 'the time of the first that is left out', readTime)
  .option('--owner <owner>', 'only those of one owner')
  .action(printEvents);

/** The events that are in memory at once. */
const PAGE = 1000;

async function printEvents(filter: EventFilter): Promise<void> {
  const { stdout } = process;
  let after: string | undefined;
  await onStore(async (store) => {
    for (;;) {
      const events = await listEvents(store, filter, { limit: PAGE, after });
      for (const event of events) {
        if (!stdout.write(`${JSON.stringify(event)}\n`)) await once(stdout, 'drain');
        after = event.id;
      }
      if (events.length < PAGE) return;
    }
  });
}

/** @throws {InvalidArgumentError} */
export function readTime(text: string): string {
  if ((parseDay(text) ?? parseMoment(text)) !== undefined) return text;
  throw new InvalidArgumentError('It must be a day such as 2027-01-31, or a moment such as 2027-01-31T12:00:00Z.');
}
