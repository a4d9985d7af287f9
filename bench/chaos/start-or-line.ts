import { send } from '../../testkit/http/client.js';
import { DidNotStart, startService } from '../../testkit/service/measured-service.js';

/** The outcome of a start that may fail. */
export interface Start {
  /** True if the service serves its data, or printed exactly one line with the reason. */
  readonly isClear: boolean;
  readonly words: string;
}

/** Starts a service that may fail to start, and kills it if it does start. */
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
    const output = lines.join(' / ').replaceAll(folder, '…');
    return { isClear: isClear === true, words: `exit code ${error.code}: ${output}` };
  }
}
