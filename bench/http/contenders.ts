import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService } from '../../testkit/service/measured-service.js';
import { ENVIRONMENT } from './environment.js';
import { getSkill, type Operation } from './operations.js';
import { startPrism } from './prism.js';
import type { Running } from './running.js';

/** A measured server. */
export interface Contender {
  readonly name: string;
  /** The heading of its column. */
  readonly title: string;
  /** True if it validates requests against the contract. */
  readonly validates: boolean;
  /** True if it has a store. */
  readonly keeps: boolean;
  /** The operations that it implements; by default all. */
  readonly operations?: readonly Operation[];
  /** @param folder its own, empty folder  @param store the file of the store, which is copied */
  start(folder: string, store: string): Promise<Running>;
}

/** @param main the program to run, relative to this file; by default Roster as it is shipped */
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

/** The plain framework that Roster's cost is compared with. */
export const express: Contender = {
  name: 'express',
  title: 'bare Express',
  validates: false,
  keeps: true,
  start: onStore('./baselines/express.js'),
};

/** The minimum cost of a read. */
export const prepared: Contender = {
  name: 'prepared',
  title: 'Express with one prepared statement',
  validates: false,
  keeps: true,
  operations: [getSkill],
  start: onStore('./baselines/prepared.js'),
};

/** The service that a careful team would build instead. */
export const equippedFastify: Contender = {
  name: 'equipped',
  title: 'Fastify with keys, limits, log and metrics',
  validates: true,
  keeps: true,
  operations: [getSkill],
  start: onStore('./baselines/equipped-fastify.js'),
};

export const baselines: readonly Contender[] = [
  express,
  prepared,
  {
    name: 'validator',
    title: 'Express with express-openapi-validator',
    validates: true,
    keeps: true,
    start: onStore('./baselines/validator.js'),
  },
  {
    name: 'fastify',
    title: 'Fastify with compiled schemas',
    validates: true,
    keeps: true,
    start: onStore('./baselines/fastify.js'),
  },
  equippedFastify,
  { name: 'prism', title: "Prism's mock", validates: true, keeps: false, start: startPrism },
];

/** Returns Roster on a contract with more operations. */
function grown(more: number): Contender {
  return {
    name: `grown-${more}`,
    title: more === 0 ? 'the contract as it is' : `with ${more} more operations`,
    validates: true,
    keeps: true,
    start: onStore('./growth/server.js', { MORE: String(more) }),
  };
}

/** The contract with and without more operations, which must not make a request more expensive. */
export const unchanged = grown(0);
export const larger = grown(500);
export const growing: readonly Contender[] = [unchanged, grown(50), larger];

/** Returns whether a contender implements an operation. */
export function has({ operations }: Contender, operation: Operation): boolean {
  return operations === undefined || operations.includes(operation);
}
