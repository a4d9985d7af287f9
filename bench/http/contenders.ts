import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService } from '../../testkit/service/measured-service.js';
import { ENVIRONMENT } from './environment.js';
import { getSkill, type Operation } from './operations.js';
import { startPrism } from './prism.js';
import type { Running } from './running.js';

/** A server that is measured. */
export interface Contender {
  readonly name: string;
  /** The head of its column. */
  readonly title: string;
  /** Whether it refuses what the contract does not allow. */
  readonly validates: boolean;
  /** Whether it keeps what is written. */
  readonly keeps: boolean;
  /** The operations that it has; all, if none are named. */
  readonly operations?: readonly Operation[];
  /** @param folder its own, empty  @param store the file of the store that it gets a copy of */
  start(folder: string, store: string): Promise<Running>;
}

/** @param main what is run, relative to this file; if nothing, Roster as it is shipped */
function onStore(main?: string, env: NodeJS.ProcessEnv = {}): Contender['start'] {
  const options = main ? { main: fileURLToPath(new URL(main, import.meta.url)) } : {};
  return async (folder, store) => {
    await mkdir(folder);
    const copy = join(folder, 'roster.db');
    await copyFile(store, copy);
    return startService(folder, `file:${copy}`, { ...ENVIRONMENT, ...env }, options);
  };
}

export const roster: Contender = {
  name: 'roster',
  title: 'Roster',
  validates: true,
  keeps: true,
  start: onStore(),
};

/** In whose place Roster is to be worth what it costs. */
export const express: Contender = {
  name: 'express',
  title: 'bare Express',
  validates: false,
  keeps: true,
  start: onStore('./yardsticks/express.js'),
};

/** The cost of a read that does nothing but read. */
export const prepared: Contender = {
  name: 'prepared',
  title: 'Express with one prepared statement',
  validates: false,
  keeps: true,
  operations: [getSkill],
  start: onStore('./yardsticks/prepared.js'),
};

export const yardsticks: readonly Contender[] = [
  express,
  prepared,
  {
    name: 'validator',
    title: 'Express with express-openapi-validator',
    validates: true,
    keeps: true,
    start: onStore('./yardsticks/validator.js'),
  },
  {
    name: 'fastify',
    title: 'Fastify with compiled schemas',
    validates: true,
    keeps: true,
    start: onStore('./yardsticks/fastify.js'),
  },
  { name: 'prism', title: "Prism's mock", validates: true, keeps: false, start: startPrism },
];

/** Roster on a contract with more operations. */
function grown(more: number): Contender {
  return {
    name: `grown-${more}`,
    title: more === 0 ? 'the contract as it is' : `with ${more} more operations`,
    validates: true,
    keeps: true,
    start: onStore('./growth/server.js', { MORE: String(more) }),
  };
}

/** By as many operations, the contract may grow without a request becoming dearer. */
export const unchanged = grown(0);
export const larger = grown(500);
export const growing: readonly Contender[] = [unchanged, grown(50), larger];

/** Whether a contender has an operation. */
export function has({ operations }: Contender, operation: Operation): boolean {
  return operations === undefined || operations.includes(operation);
}
