import { send } from '../../testkit/http/client.js';
import { DidNotStart, startService } from '../../testkit/service/measured-service.js';

/** How a start went that may fail. */
export interface Start {
  /** Whether it serves what it had, or ended with one line that says why, and nothing else. */
  readonly isClear: boolean;
  readonly words: string;
}

/** Starts a service that may not be able to, and ends it if it does. */
export async function startOrLine(folder: string, databaseUrl: string): Promise<Start> {
  try {
    const service = await startService(folder, databaseUrl);
    const { status } = await send('GET', `${service.url}/projects/default/skills?limit=1`);
    await service.kill();
    return { isClear: status === 200 || status === 503, words: `it starts, and reads: ${status}` };
  } catch (error) {
    if (!(error instanceof DidNotStart)) throw error;
    const lines = error.log.trim().split('\n');
    const isClear = lines.length === 1 && error.code === 1 && lines[0]?.startsWith('Roster did');
    const told = lines.join(' / ').replaceAll(folder, '…');
    return { isClear: isClear === true, words: `exit code ${error.code}: ${told}` };
  }
}
