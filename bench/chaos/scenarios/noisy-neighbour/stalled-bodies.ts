import { diamondTable } from '../../../../testkit/data/diamonds.js';
import type { Headers } from '../../../../testkit/http/client.js';
import { head } from '../../../../testkit/http/load.js';
import { type Attack, repeat, type Target } from '../../attacks/attack.js';

const MEBIBYTE = 2 ** 20;
const PIECE = Buffer.alloc(MEBIBYTE, ' ');
/** The pause after an answer, or after the end of the connection, in milliseconds. */
const PAUSE = 1000;

/** Bodies that stop before their end, and occupy the memory that is reserved for bodies. */
export const stalledBodies: readonly Attack[] = [
  {
    name: 'stalled-body-of-a-project',
    prepare: async (target) => {
      const owner = await target.owner('attacker');
      const body = { path: '/projects', length: 999_999_999, sent: 128 * MEBIBYTE - 1 };
      return (over) => stall(target, owner, body, over);
    },
  },
  {
    name: 'stalled-bodies-for-no-model',
    prepare: async (target) => {
      const owner = await target.owner('attacker', ['predict']);
      const body = predictBody('/api/projects/none/models/none/predict');
      return (over) =>
        together([owner, owner, owner, owner], (key) => stall(target, key, body, over));
    },
  },
  {
    name: 'stalled-bodies-for-a-model',
    prepare: async (target) => {
      const owners = [await target.owner('first'), await target.owner('second')];
      const { csv } = diamondTable(60);
      const [path = ''] = await Promise.all(owners.map((owner) => target.model(owner, csv)));
      const body = predictBody(`${path}/predict`);
      return (over) => together([...owners, ...owners], (key) => stall(target, key, body, over));
    },
  },
];

/** The announced and the sent length of a body, in bytes. */
interface StalledBody {
  readonly path: string;
  readonly length: number;
  readonly sent: number;
}

/** One byte less than the longest accepted body. */
function predictBody(path: string): StalledBody {
  return { path, length: 32 * MEBIBYTE, sent: 32 * MEBIBYTE - 1 };
}

async function stall(
  target: Target,
  owner: Headers,
  { path, length, sent }: StalledBody,
  over: AbortSignal,
): Promise<undefined> {
  const type = { 'Content-Type': 'application/json', 'Content-Length': length };
  await repeat(over, PAUSE, async () => {
    const connection = target.connect();
    await connection.send(head(target.url, 'POST', path, { ...owner, ...type }));
    for (let left = sent; left > 0; left -= PIECE.length) {
      if (!(await connection.send(PIECE.subarray(0, left)))) break;
    }
    await connection.status;
    connection.close();
  });
}

async function together(
  owners: readonly Headers[],
  work: (owner: Headers) => Promise<undefined>,
): Promise<undefined> {
  await Promise.all(owners.map(work));
}
