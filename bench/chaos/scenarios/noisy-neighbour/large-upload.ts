import { ask } from '../../../../testkit/http/client.js';
import { head } from '../../../../testkit/http/load.js';
import { type Attack, repeat } from '../../attacks/attack.js';

const ROWS = 1_000_000;
const COLUMNS = 10;
const ROWS_OF_A_PIECE = 10_000;
const PAUSE = 1000;

/** A table of the maximum size, from an owner without bad intent. */
export const largeUpload: Attack = {
  name: 'large-upload',
  seconds: 15,
  prepare: async (target) => {
    const { url } = target;
    const owner = await target.owner('attacker');
    await ask('POST', `${url}/projects`, { project: { name: 'tables' } }, owner);
    const piece = rows(ROWS_OF_A_PIECE);
    const header = Buffer.from(`${Array.from({ length: COLUMNS - 1 }, (_, at) => `x${at}`)},y\n`);
    const pieces = ROWS / ROWS_OF_A_PIECE;
    let uploads = 0;
    return (over) =>
      repeat(over, PAUSE, async () => {
        const path = `/api/projects/tables/models/m${uploads++}?target=y`;
        const upload = target.connect();
        const type = { 'Content-Type': 'text/csv' };
        const length = header.length + pieces * piece.length;
        await upload.send(head(url, 'PUT', path, { ...owner, ...type, 'Content-Length': length }));
        await upload.send(header);
        for (let sent = 0; sent < pieces && !over.aborted; sent += 1) {
          if (!(await upload.send(piece))) break;
        }
        await upload.status;
        upload.close();
      });
  },
};

/** Numbers, and a target that is computed from them. */
function rows(count: number): Buffer {
  const lines = Array.from({ length: count }, () => {
    const cells = Array.from({ length: COLUMNS - 1 }, () => Math.round(Math.random() * 1e4) / 100);
    const target = cells.reduce((sum, cell, at) => sum + (at % 3) * cell, 0);
    return `${cells.join(',')},${target.toFixed(2)}\n`;
  });
  return Buffer.from(lines.join(''));
}
