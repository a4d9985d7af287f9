import { statSync } from 'node:fs';
import { v4 as uuidv4 } from 'uuid';
import { readConfig } from '../../../../server/config.js';
import { Client, NoAnswer } from '../../../../testkit/http/client.js';
import type { Finding } from '../../../scenario/scenario.js';
import { type Attack, repeat, type Target } from '../../attacks/attack.js';

const MEBIBYTE = 2 ** 20;
/** The maximum storage of an owner, in bytes. */
const MAX_STORED = 32 * MEBIBYTE;
/** A project may hold sixteen such skills. */
const SKILLS_OF_A_PROJECT = 15;
const PARAMS = { text: 'x'.repeat(1_000_000) };
/** The maximum on disk, with indices, the write-ahead log, and the data of the other owner. */
const MAX_ON_DISK = 4 * MAX_STORED;
const PAUSE = 10;
const DEADLINE = 5000;

/** An owner who stores as much as possible: resources, and the kept answer of each. */
export const filledStore: Attack = {
  name: 'filled-store',
  settings: { MAX_STORED: String(MAX_STORED) },
  prepare: async (target) => {
    const owner = await target.owner('attacker');
    return async (over) => {
      const client = new Client({ deadline: DEADLINE });
      let created = 0;
      const create = async (path: string, body: unknown) => {
        const headers = { ...owner, 'Idempotency-Key': uuidv4() };
        const { status } = await client.send('POST', target.url + path, body, headers);
        target.count(status);
        return status;
      };
      await repeat(over, PAUSE, async () => {
        // Without this limit it would continue until the disk is full.
        if (onDisk(target) > 2 * MAX_ON_DISK) return;
        const project = `p${Math.floor(created / SKILLS_OF_A_PROJECT)}`;
        try {
          if (created % SKILLS_OF_A_PROJECT === 0) {
            await create('/projects', { project: { name: project } });
          }
          const skill = { name: `s${created}`, type: 'lookup', params: PARAMS };
          if ((await create(`/projects/${project}/skills`, { skill })) === 201) created += 1;
        } catch (error) {
          if (!(error instanceof NoAnswer)) throw error;
          target.count(undefined);
        }
      });
      client.close();
      return [finding(onDisk(target), created)];
    };
  },
};

function onDisk({ databaseUrl }: Target): number {
  const file = databaseUrl.replace('file:', '');
  const sizes = [file, `${file}-wal`].map(
    (name) => statSync(name, { throwIfNoEntry: false })?.size,
  );
  return sizes.reduce<number>((sum, size = 0) => sum + size, 0);
}

function finding(bytes: number, created: number): Finding {
  const mebibytes = (size: number) => `${(size / MEBIBYTE).toFixed(0)} MiB`;
  const isBounded = Object.hasOwn(readConfig({}), 'maxStored');
  return {
    asked: `with MAX_STORED of ${mebibytes(MAX_STORED)}, one owner fills at most ${mebibytes(MAX_ON_DISK)} of the disk`,
    measured: `${isBounded ? '' : 'not tried, there is no such setting: '}${mebibytes(bytes)}, ${created} creations`,
    passed: isBounded ? bytes <= MAX_ON_DISK : undefined,
  };
}
