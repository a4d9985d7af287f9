import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, send } from '../../testkit/http/client.js';
import { fieldOf, textOf } from '../../testkit/json.js';
import { startService } from '../../testkit/service/measured-service.js';
import { type Finding, none, type Scenario } from '../scenarios.js';
import { startOrLine } from './start-or-line.js';

const SMALL = '4m';
const ROOMY = '64m';
/** More writes than fit on a disk of that size. */
const WRITES = 200;

/** A full disk, and a read-only one. */
export const disk: Scenario = {
  name: 'disk',
  run: async (folder) => {
    const at = join(folder, 'disk');
    await mkdir(at);
    const mounted = await mountDisk(at, SMALL);
    if (typeof mounted === 'string') {
      const asked = 'a full and a read-only disk';
      return [{ asked, measured: `not tried: ${mounted}`, passed: undefined }];
    }
    try {
      const { acknowledged, findings } = await fillUp(folder, mounted);
      return [...findings, ...(await readOnly(folder, mounted, acknowledged))];
    } finally {
      await mounted.unmount();
    }
  },
};

async function fillUp(folder: string, mounted: Disk) {
  const url = `file:${join(mounted.at, 'roster.db')}`;
  let service = await startService(folder, url);
  const client = new Client();
  const acknowledged: number[] = [];
  const otherwise: string[] = [];
  let refused = 0;
  try {
    for (let number = 0; number < WRITES; number += 1) {
      const skills = `${service.url}/projects/default/skills`;
      const { status, body } = await client.send('POST', skills, { skill: largeSkill(number) });
      if (status === 201) acknowledged.push(number);
      else if (status === 503 && textOf(body, 'type') === '/problems/service-unavailable') {
        refused += 1;
      } else otherwise.push(`${status} ${textOf(body, 'type')}`);
    }
    const unreadable = await missingOf(service.url, acknowledged);
    // Like a power cut: data that was not on the disk is lost.
    await service.kill();
    const fullStart = await startOrLine(folder, url);
    await mounted.resize(ROOMY);
    service = await startService(folder, url);
    const missing = await missingOf(service.url, acknowledged, WRITES);
    const again = await send('POST', `${service.url}/projects/default/skills`, {
      skill: largeSkill(WRITES),
    });
    if (again.status === 201) acknowledged.push(WRITES);
    const writes = `${acknowledged.length} acknowledged, ${refused} refused`;
    const findings: Finding[] = [
      none('a full disk: each write is taken, or refused with 503 as a problem', otherwise, writes),
      { asked: 'a full disk is met at all', measured: `${refused} refused`, passed: refused > 0 },
      none('a full disk: what was there is readable meanwhile', unreadable, writes),
      {
        asked: 'a full disk: a start says what is wrong in one line, or serves',
        measured: fullStart.words,
        passed: fullStart.isClear,
      },
      none(
        'with room again, and a start: what was acknowledged is there, and no more',
        missing,
        writes,
      ),
      {
        asked: 'with room again: a write is taken',
        measured: `${again.status}`,
        passed: again.status === 201,
      },
    ];
    return { acknowledged, findings };
  } finally {
    client.close();
    await service.stop();
  }
}

async function readOnly(
  folder: string,
  mounted: Disk,
  acknowledged: readonly number[],
): Promise<Finding[]> {
  const url = `file:${join(mounted.at, 'roster.db')}`;
  await mounted.protect();
  const protectedStart = await startOrLine(folder, url);
  await mounted.resize(ROOMY);
  const service = await startService(folder, url);
  try {
    return [
      {
        asked: 'a read-only store: a start says what is wrong in one line, or serves',
        measured: protectedStart.words,
        passed: protectedStart.isClear,
      },
      none(
        'writable again: what was there is there',
        await missingOf(service.url, acknowledged),
        `${acknowledged.length}`,
      ),
    ];
  } finally {
    await service.stop();
  }
}

const run = promisify(execFile);

/** A separate disk that can be filled and protected without affecting any other. */
export interface Disk {
  readonly at: string;
  /** Resizes the disk, to `64m` for example, and makes it writable. */
  resize(size: string): Promise<void>;
  /** Makes the disk read-only. */
  protect(): Promise<void>;
  unmount(): Promise<void>;
}

/**
 * Mounts a disk in memory.
 * @param at an empty folder
 * @param size such as `4m`
 * @returns the reason if the disk cannot be mounted; only root may mount
 */
async function mountDisk(at: string, size: string): Promise<Disk | string> {
  const mount = (...options: string[]) => run('mount', ['-o', options.join(','), at]);
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', at]);
  } catch (error) {
    return error instanceof Error ? error.message.replaceAll('\n', ' ').trim() : String(error);
  }
  return {
    at,
    resize: async (size) => {
      await mount('remount', 'rw', `size=${size}`);
    },
    protect: async () => {
      await mount('remount', 'ro');
    },
    unmount: async () => {
      await run('umount', [at]);
    },
  };
}

/** Returns a skill of about ten pages, whose contents derive from its number. */
function largeSkill(number: number) {
  return { name: `large_${number}`, type: 'lookup', params: { text: textOfNumber(number) } };
}

/**
 * Reads skills one by one, and returns those that differ from what was written.
 * @param written the numbers of the skills that must exist
 * @param all if given, other skills with lower numbers than this must not exist
 */
async function missingOf(url: string, written: readonly number[], all?: number): Promise<string[]> {
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
