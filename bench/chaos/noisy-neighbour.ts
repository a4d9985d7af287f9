import { statSync } from 'node:fs';
import { v4 as uuidv4 } from 'uuid';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { ask, Client, type Headers } from '../../testkit/http/client.js';
import { Crowd, head, wire } from '../../testkit/http/load.js';
import { RawConnection } from '../../testkit/http/raw-connection.js';
import { timeAnswer } from '../load.js';
import {
  type Attack,
  byOne,
  flooding,
  MODELS,
  PRICES,
  PROJECT,
  pouring,
  type RunAttack,
  repeat,
  type Target,
} from './attacks.js';
import type { Family } from './family.js';

const MEBIBYTE = 2 ** 20;
const PREDICT = `${PRICES}/predict`;
const CSV = 'text/csv';
const JSON_TYPE = 'application/json';
const LARGE_PARAMS = { text: 'x'.repeat(1_000_000) };

/**
 * Uploads of one table after another.
 * @param make the beginning of the table, the bytes that follow repeatedly, and how often
 */
function table(
  name: string,
  make: () => readonly [begin: string, piece: Buffer, times: number],
  model: (number: number) => string = () => 'c',
): Attack {
  const body = () => {
    const [begin, piece, times] = make();
    const total = times * piece.length;
    const path = (_: number, number: number) => `${MODELS}/${model(number)}?target=y`;
    return { path, type: CSV, length: begin.length + total, begin, piece, total };
  };
  return pouring(name, body, { seconds: 15 });
}

function millionColumns() {
  const columns = Array.from({ length: 1_000_000 }, (_, column) => `c${column}`);
  const row = Buffer.from(`${'1,'.repeat(columns.length)}1\n`);
  return [`y,${columns.join(',')}\n`, row, 60] as const;
}

/** A million rows of ten columns: numbers, and a target that is computed from them. */
function millionRows() {
  const names = Array.from({ length: 9 }, (_, at) => `x${at}`);
  const lines = Array.from({ length: 10_000 }, () => {
    const cells = names.map(() => Math.round(Math.random() * 1e4) / 100);
    const target = cells.reduce((sum, cell, at) => sum + (at % 3) * cell, 0);
    return `${cells.join(',')},${target.toFixed(2)}\n`;
  });
  return [`${names},y\n`, Buffer.from(lines.join('')), 100] as const;
}

/**
 * Bodies that are never complete.
 * @param length the announced length, in bytes
 * @param sent the bytes that are sent: by default all but one
 */
function stalled(
  name: string,
  path: string,
  length: number,
  sent = length - 1,
  crew: Parameters<typeof pouring>[2] = {},
): Attack {
  const piece = Buffer.alloc(MEBIBYTE, ' ');
  const type = JSON_TYPE;
  const body = { method: 'POST', path: () => path, type, length, piece, total: sent } as const;
  return pouring(name, () => body, crew);
}

/** Tables that begin normally and continue one row at a time, which occupies their readers. */
function drippingUploads(owners: number): Attack {
  const row = '1,2\n';
  const body = {
    path: (client: number) => `${MODELS}/m${client}?target=y`,
    type: CSV,
    length: 100_000_000,
    begin: `x,y\n${row.repeat(320_000 / row.length)}`,
    piece: Buffer.from(row),
    between: 5000,
  };
  return pouring(`dripping-uploads-of-${owners}-owners`, () => body, { owners, clients: 2 });
}

/** Requests a second without their bodies; the limit of a key is six thousand a minute. */
const HEADERS_RATE = 195;

/** Predictions without their bodies: each holds a connection, headers, and a reserved place. */
async function headersOnly(target: Target, owner: Headers) {
  const type = { 'Content-Type': JSON_TYPE, 'Content-Length': 10 };
  const request = head(target.url, 'POST', `${MODELS}/none/predict`, { ...owner, ...type });
  return async (over: AbortSignal) => {
    const begun = performance.now();
    let sent = 0;
    return repeat(over, 20, async () => {
      const due = Math.floor(((performance.now() - begun) / 1000) * HEADERS_RATE);
      for (; sent < due; sent += 1) void target.connect().send(request);
    });
  };
}

/** Lists of fifteen megabytes that are requested repeatedly on two hundred connections, and never read. */
async function unreadAnswers(target: Target, owner: Headers) {
  const { url } = target;
  await target.project(owner);
  for (let number = 0; number < 15; number += 1) {
    const skill = { name: `s${number}`, type: 'lookup', params: LARGE_PARAMS };
    await ask('POST', `${url}${PROJECT}/skills`, { skill }, owner);
  }
  const request = wire(url, 'GET', `${PROJECT}/skills?limit=100`, undefined, owner);
  return async (over: AbortSignal) => {
    const unread: RawConnection[] = [];
    await repeat(over, 40, async () => {
      if (unread.length === 200) return;
      const connection = new RawConnection(url, { isRead: false });
      unread.push(connection);
      await connection.send(request);
    });
    for (const connection of unread) connection.close();
    return undefined;
  };
}

/** The rate limit of a key, per minute: more than the tenant needs, and soon reached. */
const RATE_LIMIT = 1200;
const REFUSALS = 24_000;
const REFUSED_CONNECTIONS = 100;

/** An owner who keeps sending beyond its limit. */
async function refusals(target: Target, owner: Headers): Promise<RunAttack> {
  const request = wire(target.url, 'GET', '/projects', undefined, owner);
  const crowd = new Crowd(target.url, () => request);
  for (let left = RATE_LIMIT; left > 0; ) left -= (await crowd.closedLoop(16, 0.2)).sent;
  crowd.close();
  const batch = Buffer.concat(Array(REFUSALS / REFUSED_CONNECTIONS).fill(request));
  return async () => {
    for (let sent = 0; sent < REFUSED_CONNECTIONS; sent += 1) void target.connect().send(batch);
    return undefined;
  };
}

/** The longest that an attacker waits for an answer, in milliseconds. */
const DEADLINE = 5000;

/** The maximum storage of an owner, in bytes. */
const MAX_STORED = 32 * MEBIBYTE;
/** A project may hold sixteen such skills. */
const SKILLS_OF_A_PROJECT = 15;
/** The maximum on disk, with indices, the write-ahead log, and the data of the other owner. */
const MAX_ON_DISK = 4 * MAX_STORED;

/** An owner who stores as much as possible: resources, and the kept answer of each. */
async function filledStore(target: Target, owner: Headers): Promise<RunAttack> {
  const client = new Client({ deadline: DEADLINE });
  const create = async (path: string, body: unknown) => {
    const headers = { ...owner, 'Idempotency-Key': uuidv4() };
    const send = () => client.send('POST', target.url + path, body, headers);
    const { status } = await timeAnswer(send);
    target.count(status);
    return status;
  };
  return async (over) => {
    let created = 0;
    await repeat(over, 10, async () => {
      // Without this limit it would continue until the disk is full.
      if (onDisk(target) > 2 * MAX_ON_DISK) return;
      const project = `p${Math.floor(created / SKILLS_OF_A_PROJECT)}`;
      if (created % SKILLS_OF_A_PROJECT === 0) {
        await create('/projects', { project: { name: project } });
      }
      const skill = { name: `s${created}`, type: 'lookup', params: LARGE_PARAMS };
      if ((await create(`/projects/${project}/skills`, { skill })) === 201) created += 1;
    });
    client.close();
    const bytes = onDisk(target);
    const asked = `with MAX_STORED of ${mebibytes(MAX_STORED)}, one owner fills at most ${mebibytes(MAX_ON_DISK)} of the disk`;
    const measured = `${mebibytes(bytes)}, ${created} creations`;
    return [{ asked, measured, passed: bytes <= MAX_ON_DISK }];
  };
}

function onDisk({ databaseUrl }: Target): number {
  const file = databaseUrl.replace('file:', '');
  return [file, `${file}-wal`].reduce((sum, name) => sum + (statSync(name, { throwIfNoEntry: false })?.size ?? 0), 0);
}

function mebibytes(size: number): string {
  return `${(size / MEBIBYTE).toFixed(0)} MiB`;
}

/**
 * Attacks by one owner or a few, each of which uses the service as it is meant. The memory is that of the bodies that
 * the service may buffer, and as much again for their contents.
 */
export const noisyNeighbour: Family = {
  name: 'noisy-neighbour',
  bounds: { health: 1000, memory: 512 },
  attacks: [
    // Tables that cost far more than their size suggests, sent one at a time.
    table('table-of-commas', () => ['x,y\n', Buffer.alloc(MEBIBYTE / 4, ','), 400]),
    table('table-of-quotes', () => ['x,y\n', Buffer.alloc(MEBIBYTE / 4, '"'), 256]),
    table('table-of-a-million-columns', millionColumns),

    // Bodies that stop before their end, and occupy the memory that is reserved for bodies.
    stalled('stalled-body-of-a-project', '/projects', 999_999_999, 128 * MEBIBYTE - 1),
    stalled('stalled-bodies-for-no-model', `${MODELS}/none/predict`, 32 * MEBIBYTE, undefined, {
      clients: 4,
      scopes: ['predict'],
      prepare: async () => {},
    }),
    stalled('stalled-bodies-for-a-model', PREDICT, 32 * MEBIBYTE, undefined, {
      owners: 2,
      clients: 2,
      prepare: (target, owner) => target.model(owner, diamondTable(60).csv),
    }),

    byOne('headers-only', headersOnly),
    drippingUploads(2),
    drippingUploads(6),
    byOne('refusals', refusals, { settings: { RATE_LIMIT: String(RATE_LIMIT) } }),

    // Predictions of ten thousand rows, one after another.
    flooding('large-predictions', 4, async (target, owner) => {
      const { csv, rows } = diamondTable(2000);
      await target.model(owner, csv);
      const many = Array.from({ length: 10_000 }, (_, row) => rows[row % rows.length]);
      return [wire(target.url, 'POST', PREDICT, many, owner)];
    }),
    // A table of the maximum size, from an owner without bad intent.
    table('large-upload', millionRows, (number) => `m${number}`),
    byOne('filled-store', filledStore, { settings: { MAX_STORED: String(MAX_STORED) } }),
    // The answers wait beside 224 MiB that the service keeps of the training before.
    byOne('unread-answers', unreadAnswers, { memory: 512 + 224 }),
  ],
};
