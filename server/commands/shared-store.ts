import { readConfig } from '../config.js';

/**
 * The URL of the store that the service uses, which a command shares with it.
 * @throws {ConfigError}
 * @throws if it is one that no other process sees
 */
export function sharedStore(): string {
  const { databaseUrl } = readConfig(process.env);
  if (databaseUrl !== ':memory:') return databaseUrl;
  throw new Error('DATABASE_URL is :memory:, a store that no other process sees');
}
