import { ask } from '../../../../testkit/http/client.js';
import { head } from '../../../../testkit/http/load.js';
import { type Attack, repeat } from '../../attacks/attack.js';

/** Rows of a table in chunks of one byte, each of which costs as much as a larger chunk. */
const ROWS = Buffer.from('1\r\n1\r\n1\r\n,\r\n1\r\n2\r\n1\r\n\n\r\n'.repeat(2500));
const HEADER = '4\r\nx,y\n\r\n';
const UPLOADS = 2;
const PAUSE = 100;

/** Two uploads whose bodies arrive in chunks of a single byte. */
export const smallChunks: Attack = {
  name: 'small-chunks',
  prepare: async (target) => {
    const owner = await target.owner('attacker');
    await ask('POST', `${target.url}/projects`, { project: { name: 'chunks' } }, owner);
    const headers = { ...owner, 'Content-Type': 'text/csv', 'Transfer-Encoding': 'chunked' };
    const upload = (number: number, over: AbortSignal) =>
      repeat(over, PAUSE, async () => {
        const path = `/api/projects/chunks/models/m${number}?target=y`;
        const connection = target.connect();
        await connection.send(head(target.url, 'PUT', path, headers));
        await connection.send(HEADER);
        while (!over.aborted && (await connection.send(ROWS)));
        connection.close();
      });
    return async (over) => {
      await Promise.all(Array.from({ length: UPLOADS }, (_, number) => upload(number, over)));
      return undefined;
    };
  },
};
