/**
 * The audit log. The transaction of a write ends with the event of it, so that neither exists without the other. The
 * events of an owner are a chain: each has the SHA-256 of the one before it and of its own facts. The head of a chain is
 * locked last in a transaction, and by the writes of the same owner alone.
 */

import { hash } from 'node:crypto';
import { type Kysely, type QueryCreator, type Selectable, sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { type Dialect, getDialect, type Parameter, PreparedQuery } from './database/dialect.js';
import type { Database } from './database/schema.js';

/** An act or a refusal, and its caller: never a body, a query or a secret. */
export interface Act {
  /** The owner of the resources; empty for an unknown caller. */
  readonly owner: string;
  /** The operation of the contract, or that of a command by the name that it has there. */
  readonly operation: string | null;
  /** The address of the resource, without a prefix; a creation sets that of what it creates. */
  resource: string;
  /** The id of the key. */
  readonly key: string | null;
  /** The user of the OIDC issuer; of a command, the user of the operating system. */
  readonly subject: string | null;
  readonly requestId: string | null;
  /** From where it came; null for a command. */
  readonly address: string | null;
  readonly userAgent: string | null;
  /** The type of the problem with which it was refused; null for what was done. */
  readonly problem: string | null;
  /** The number of refusals; 1 for an act. */
  readonly count: number;
  /** True as soon as its event is stored: one that takes several transactions has one event. */
  isRecorded: boolean;
}

/** Returns what is done without a request. */
export function createAct(owner: string, operation: string, resource: string, subject: string | null = null): Act {
  return {
    owner,
    operation,
    resource,
    subject,
    key: null,
    requestId: null,
    address: null,
    userAgent: null,
    problem: null,
    count: 1,
    isRecorded: false,
  };
}

/** The most characters of a text that a caller chooses. */
const MAX_LENGTH = { resource: 500, text: 200 };

/** Characters that a terminal hides or replaces, or that a database of text refuses. */
const INVISIBLE = /\p{C}/gu;

/** An event as it is stored, without its place in the chain of its owner. */
export type EventColumns = Omit<Selectable<Database['audit_events']>, 'sequence' | 'hash'>;

type Values = EventColumns & { readonly facts: string };

/** Returns the columns of an event, and the text that its hash covers. */
function toValues(id: string, act: Act): Values {
  const columns = {
    id,
    owner: act.owner,
    operation: act.operation,
    resource: clean(act.resource, MAX_LENGTH.resource),
    key_id: act.key,
    subject: act.subject && clean(act.subject, MAX_LENGTH.text),
    request_id: act.requestId,
    address: act.address && clean(act.address, MAX_LENGTH.text),
    user_agent: act.userAgent && clean(act.userAgent, MAX_LENGTH.text),
    problem: act.problem,
    count: act.count,
  };
  return { ...columns, facts: writeFacts(columns) };
}

function clean(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replace(INVISIBLE, '\ufffd');
}

const COLUMNS = [
  ...(['id', 'owner', 'operation', 'resource', 'key_id', 'subject', 'request_id'] as const),
  ...(['address', 'user_agent', 'problem', 'count'] as const),
];

/** Writes the facts of an event as JSON, always the same for the same columns. */
export function writeFacts(row: EventColumns): string {
  return JSON.stringify(COLUMNS.map((name) => row[name]));
}

/**
 * Returns the hash of an event.
 * @param before that of the event before it; empty for the first
 * @param facts as `writeFacts` writes them
 */
export function hashEvent(before: string, facts: string): string {
  return hash('sha256', before + facts);
}

/** Moves the head of a chain on to an event, and returns the place of that; nothing for an owner without a chain. */
function advanceChain(db: QueryCreator<Database>, parameter: Parameter<Values>, dialect: Dialect) {
  const chained = sql<string>`audit_chains.hash || cast(${parameter('facts')} as text)`;
  return db
    .updateTable('audit_chains')
    .set({ sequence: sql`audit_chains.sequence + 1`, hash: dialect.sha256(chained) })
    .where('owner', '=', parameter('owner'))
    .returning(['sequence', 'hash']);
}

const ADVANCE = new PreparedQuery((db, parameter: Parameter<Values>) => advanceChain(db, parameter, getDialect(db)));

const PLACED = [...COLUMNS, 'sequence', 'hash'] as const;

type Placed = Values & { readonly sequence: number | string; readonly hash: string };

const INSERT = new PreparedQuery((_, parameter: Parameter<Placed>) => {
  const names = PLACED.map((name) => sql.ref(name));
  const values = PLACED.map((name) => parameter(name));
  return sql`insert into audit_events (${sql.join(names)}) values (${sql.join(values)})`;
});

/** Both at once, where each statement costs a way to the database and back. */
const ADVANCE_AND_INSERT = new PreparedQuery((db, parameter: Parameter<Values>) =>
  db
    .with('head', (step) => advanceChain(step, parameter, getDialect(db)))
    .insertInto('audit_events')
    .columns(PLACED)
    .expression((from) =>
      from
        .selectFrom('head')
        .select([...COLUMNS.map((name) => cast(name, parameter(name)).as(name)), 'head.sequence', 'head.hash']),
    )
    .returning('sequence'),
);

/** PostgreSQL asks for the types of values that go through a `select`. */
function cast(name: (typeof COLUMNS)[number], value: unknown) {
  return name === 'count' ? sql`cast(${value} as integer)` : sql`cast(${value} as text)`;
}

const BEGIN_CHAIN = new PreparedQuery((db, parameter: Parameter<{ owner: string }>) =>
  db
    .insertInto('audit_chains')
    .values({ owner: parameter('owner'), sequence: 0, hash: '' })
    .onConflict((conflict) => conflict.doNothing()),
);

const FIND_HEAD = new PreparedQuery((db, parameter: Parameter<{ owner: string }>) =>
  db.selectFrom('audit_chains').select('sequence').where('owner', '=', parameter('owner')),
);

/**
 * Returns the place of the last event in the chain of an owner. As long as it is the same, no request has changed the
 * owner's projects: each transaction that changes them for a request writes an event.
 */
export async function findLastEvent(db: Kysely<Database>, owner: string): Promise<number> {
  return Number((await FIND_HEAD.first(db, { owner }))?.sequence ?? 0);
}

/** Adds the event of an act to the chain of its owner: the last statement of a transaction. */
export async function addEvent(db: Kysely<Database>, act: Act): Promise<void> {
  const values = toValues(uuidv7(), act);
  if (await addToChain(db, values)) return;
  await BEGIN_CHAIN.all(db, values);
  await addToChain(db, values);
}

/** @returns whether the owner has a chain */
async function addToChain(db: Kysely<Database>, values: Values): Promise<boolean> {
  if (getDialect(db).locksRows) {
    return (await ADVANCE_AND_INSERT.first(db, values)) !== undefined;
  }
  const head = await ADVANCE.first(db, values);
  if (head) await INSERT.all(db, { ...values, ...head });
  return head !== undefined;
}
