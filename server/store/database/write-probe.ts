import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { v4 as uuidv4 } from 'uuid';
import type { Database } from './schema.js';
import { isUnwritable, type NoteFailure } from './unavailable.js';

/**
 * Knows whether the store takes writes: from the writes that fail, and then from a write of its own,
 * until one succeeds. While writes succeed, nothing more is written.
 */
export class WriteProbe {
  #isSuspected = false;
  #running: Promise<void> | undefined;

  readonly noteFailure: NoteFailure = (error) => {
    if (isUnwritable(error)) this.#isSuspected = true;
  };

  /**
   * Tries a write if one has failed because the store took none. Who asks while a write is tried
   * waits for that one.
   * @throws what the write throws
   */
  async run(write: () => Promise<void>): Promise<void> {
    if (this.#isSuspected) {
      this.#running ??= this.#try(write).finally(() => {
        this.#running = undefined;
      });
    }
    await this.#running;
  }

  async #try(write: () => Promise<void>): Promise<void> {
    // A write that fails meanwhile counts again.
    this.#isSuspected = false;
    try {
      await write();
    } catch (error) {
      this.#isSuspected = true;
      throw error;
    }
  }
}

/** The owner of the rows that probe whether the store takes writes. No owner has this name. */
const PROBE_OWNER = '';

/** The least that is written, in bytes: less may find room when most writes do not. */
const PROBE_BYTES = 64 * 1024;

/** Writes a row that nobody finds, and deletes it. */
export async function writeProbeRow(db: Kysely<Database>): Promise<void> {
  const body = randomBytes((PROBE_BYTES * 3) / 4).toString('base64');
  const created_at = new Date().toISOString();
  const row = { fingerprint: '', headers: '{}', body, bytes: 0, created_at };
  const probe = { owner: PROBE_OWNER, key: uuidv4(), ...row };
  await db.transaction().execute((tx) => tx.insertInto('kept_answers').values(probe).execute());
  await db
    .transaction()
    .execute((tx) => tx.deleteFrom('kept_answers').where('owner', '=', PROBE_OWNER).execute());
}
