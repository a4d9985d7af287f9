import { ask } from '../../../../testkit/http/client.js';
import { head } from '../../../../testkit/http/load.js';
import { type Attack, repeat } from '../../attacks/attack.js';

const MEBIBYTE = 2 ** 20;
const PIECE = MEBIBYTE / 4;
const COLUMNS = 1_000_000;
/** The pause after a table was refused, in milliseconds. */
const PAUSE = 1000;

/** Tables that cost far more than their size suggests, sent one at a time by one owner. */
export const hostileTables: readonly Attack[] = [
  hostileTable('table-of-commas', 'x,y\n', Buffer.alloc(PIECE, ','), 100 * MEBIBYTE),
  hostileTable('table-of-quotes', 'x,y\n', Buffer.alloc(PIECE, '"'), 64 * MEBIBYTE),
  wideTable(),
];

function wideTable(): Attack {
  const columns = Array.from({ length: COLUMNS }, (_, column) => `c${column}`);
  const row = Buffer.from(`${'1,'.repeat(COLUMNS)}1\n`);
  return hostileTable(
    'table-of-a-million-columns',
    `y,${columns.join(',')}\n`,
    row,
    60 * row.length,
  );
}

/**
 * @param beginning the beginning of the table
 * @param piece the bytes that follow repeatedly
 * @param size the total size of the pieces, in bytes
 */
function hostileTable(name: string, beginning: string, piece: Buffer, size: number): Attack {
  return {
    name,
    seconds: 15,
    prepare: async (target) => {
      const { url } = target;
      const owner = await target.owner('attacker');
      await ask('POST', `${url}/projects`, { project: { name: 'tables' } }, owner);
      const request = head(url, 'PUT', '/api/projects/tables/models/c?target=y', {
        ...owner,
        'Content-Type': 'text/csv',
        'Content-Length': beginning.length + size,
      });
      return (over) =>
        repeat(over, PAUSE, async () => {
          const upload = target.connect();
          await upload.send(Buffer.concat([request, Buffer.from(beginning)]));
          for (let sent = 0; sent < size && !over.aborted; sent += piece.length) {
            if (!(await upload.send(piece))) break;
          }
          await upload.status;
          upload.close();
        });
    },
  };
}
