import { createRoster } from 'roster-client';
import { seededRandom } from 'roster-prediction/internals';
import { toColumns, writeFile } from '../../testkit/data/table-files.js';
import { readCells } from '../../testkit/prediction/onnx-session.js';
import { openModel, rowsBeside, trainTable } from '../../testkit/prediction/onnx-tables.js';
import { processorTime, treeTime } from '../../testkit/service/measured-service.js';
import { compareRates, type Rate } from '../load.js';
import type { Finding } from '../scenarios.js';
import { onService } from '../services.js';
import { runtime } from './tables.js';

const ROWS = 10_000;
const CONFIDENCE = 0.9;
const ARROW = 'application/vnd.apache.arrow.stream';
const ROUNDS = { long: { rounds: 7, bodies: 20 }, short: { rounds: 1, bodies: 3 } };

/** Rows a second of one processor: of ONNX Runtime, which is handed columns, and of the service, with Arrow over HTTP. */
export const speed = onService(
  { name: 'speed', hasShort: true, start: { env: { RATE_LIMIT: '0' } } },
  async ({ url, pid }, { isShort }) => {
    const roster = createRoster({ baseUrl: url, project: 'default' });
    const rows = rowsBeside(ROWS, seededRandom(1));
    const body = writeFile('arrow-stream', toColumns(rows));
    const { rounds, bodies } = isShort ? ROUNDS.short : ROUNDS.long;
    const findings: Finding[] = [];
    for (const name of isShort ? ['amounts'] : ['amounts', 'many']) {
      await trainTable(roster, url, name);
      const { run, columns } = await openModel(roster, name, runtime);
      const cells = readCells(rows, columns);
      const path = `${url}/api/projects/default/models/${name}/predict?confidence=${CONFIDENCE}`;
      const finding = await compareRates({
        asked: `${name}: rows a second of processor time, of ONNX Runtime beside the service with Arrow`,
        first: () => measure(process.pid, bodies, () => run(cells, CONFIDENCE)),
        second: () => measure(pid, bodies, () => predict(path, body)),
        rounds,
      });
      findings.push(finding);
    }
    return findings;
  },
);

async function predict(url: string, body: Buffer): Promise<void> {
  const headers = { 'Content-Type': ARROW, Accept: ARROW };
  const answer = await fetch(url, { method: 'POST', headers, body });
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
}

/** @param pid the process that works, with its descendants unless it is this one */
async function measure(pid: number, bodies: number, work: () => Promise<unknown>): Promise<Rate> {
  const time = pid === process.pid ? processorTime : treeTime;
  const before = time(pid);
  for (let count = 0; count < bodies; count++) await work();
  const perSecond = (1000 * bodies * ROWS) / (time(pid) - before);
  return { perSecond, cost: Number.NaN, allCost: Number.NaN };
}
