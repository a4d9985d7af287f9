import { readConfig } from '../config.js';

/**
 * Returns the URL of the store that a command shares with the service.
 * @throws {ConfigError}
 * @throws if no other process can see that store
 */
export function sharedStore(): string {
  const { databaseUrl } = readConfig(process.env);
  if (databaseUrl !== ':memory:') return databaseUrl;
  throw new Error('DATABASE_URL is :memory:, a store that no other process sees');
}
