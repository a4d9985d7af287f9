import { type Service, startService } from '../testkit/service/measured-service.js';
import { startPostgres } from '../testkit/store/postgres-database.js';

/** Starts a service for some work, and kills it afterwards. */
export async function withService<T>(
  [folder, databaseUrl, env, options]: Parameters<typeof startService>,
  use: (service: Service) => Promise<T>,
): Promise<T> {
  const service = await startService(folder, databaseUrl, env, options);
  try {
    return await use(service);
  } finally {
    await service.kill();
  }
}

/** Makes an empty database on PostgreSQL for some work, and removes it afterwards. */
export async function withPostgres<T>(use: (url: string) => Promise<T>): Promise<T> {
  const database = await startPostgres();
  try {
    return await use(database.url);
  } finally {
    await database.remove();
  }
}
