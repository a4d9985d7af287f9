import { openAsBlob } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MEDIA_TYPES } from 'roster-client';
import { columnsOf, fileOf } from '../../testkit/data/table-files.js';
import { median, percent } from '../../testkit/numbers.js';
import type { Service } from '../../testkit/service/measured-service.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';
import type { Scenario } from '../scenarios.js';
import { withService } from './service.js';
import { SYNTHETIC_TARGET, syntheticRows } from './synthetic.js';

const ROWS = 1_000_000;
const ROUNDS = 3;
const MAX_SHARE = 0.8;
const ROWS_PER_GROUP = 100_000;

/** Training with a million rows from a Parquet file, and with the same from CSV, in turn. */
export const tableFormats: Scenario = {
  name: 'table-formats',
  run: async (folder) => {
    const columns = columnsOf([...syntheticRows(ROWS)]);
    const files = { csv: join(folder, 'table.csv'), parquet: join(folder, 'table.parquet') };
    const options = { rowsPerBatch: ROWS_PER_GROUP };
    await writeFile(files.csv, fileOf('csv', columns));
    await writeFile(files.parquet, fileOf('parquet', columns, options));
    return withService(folder, async (service) => {
      const seconds = { csv: [] as number[], parquet: [] as number[] };
      for (let round = 0; round < ROUNDS; round++) {
        for (const format of ['csv', 'parquet'] as const) {
          seconds[format].push(await train(service, files[format], MEDIA_TYPES[format]));
        }
      }
      const share = median(
        seconds.parquet.map((time, round) => time / (seconds.csv[round] ?? Number.NaN)),
      );
      return [
        {
          asked: `training ${ROWS.toLocaleString('en')} × 10 from Parquet, from the upload until ready: at most ${percent(MAX_SHARE)} of the time from CSV`,
          measured: `${percent(share)} (median of ${ROUNDS} rounds): ${median(seconds.parquet).toFixed(1)} s against ${median(seconds.csv).toFixed(1)} s`,
          passed: share <= MAX_SHARE,
        },
      ];
    });
  },
};

/** Returns the seconds from the first byte of the table until its model is ready. */
async function train({ url }: Service, file: string, type: string): Promise<number> {
  const model = `${url}/api/projects/default/models/synthetic`;
  const begun = performance.now();
  const response = await fetch(`${model}?target=${SYNTHETIC_TARGET}`, {
    method: 'PUT',
    headers: { 'Content-Type': type },
    body: await openAsBlob(file),
  });
  if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
  await response.body?.cancel();
  await untilReadyAt(model);
  return (performance.now() - begun) / 1000;
}
