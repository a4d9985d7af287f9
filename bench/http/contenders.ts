import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService } from '../../harness/service.js';

/** A server that runs. */
export interface Running {
  readonly url: string;
  readonly pid: number;
  kill(): Promise<void>;
}

/** A server that is measured. */
export interface Contender {
  readonly name: string;
  /** The head of its column. */
  readonly title: string;
  /** Whether it refuses what the contract does not allow. */
  readonly validates: boolean;
  /** Whether it keeps what is written. */
  readonly keeps: boolean;
  /** @param folder its own, empty  @param store the file of the store that it gets a copy of */
  start(folder: string, store: string): Promise<Running>;
}

/**
 * What all servers have alike. Roster counts the requests of each key, as it is shipped; it is only never too
 * many.
 */
const ENVIRONMENT = {
  NODE_ENV: 'production',
  LOG_LEVEL: 'info',
  RATE_LIMIT: '999999999',
  MAX_RESOURCES: '999999999',
};

/** @param main what is run, relative to this file; if nothing, Roster as it is shipped */
export function onStore(main?: string, env: NodeJS.ProcessEnv = {}): Contender['start'] {
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

export const yardsticks: readonly Contender[] = [
  express,
  {
    name: 'validator',
    title: 'Express with express-openapi-validator',
    validates: true,
    keeps: true,
    start: onStore('./yardsticks/validator.js'),
  },
];
