import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRosterClient, type RosterClient } from 'roster-client';
import { startService } from '../demo/service.js';

/**
 * Measures a training of 10,000 rows × 10 columns, from the first byte of the upload until the model is
 * ready, and how long other requests take meanwhile.
 */
const ROUNDS = 5;
const DATASET = new URL('../../datasets/diamonds.csv', import.meta.url);

interface Round {
  readonly seconds: number;
  /** Of the requests that were sent one after the other while the model trained, in milliseconds. */
  readonly latencies: number[];
}

const folder = await mkdtemp(join(tmpdir(), 'roster-bench-'));
const service = await startService(join(folder, 'roster.db'));
const rounds: Round[] = [];
try {
  const roster = createRosterClient({ baseUrl: service.url });
  const csv = await readFile(DATASET, 'utf8');
  for (let round = 0; round < ROUNDS; round++) rounds.push(await train(roster, csv));
} finally {
  await service.stop();
  await rm(folder, { recursive: true });
}
const latencies = rounds.flatMap((round) => round.latencies).toSorted((a, b) => a - b);
const seconds = rounds.map((round) => round.seconds).toSorted((a, b) => a - b);
process.stdout.write(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, ${ROUNDS} rounds

| | median | worst |
|---|---|---|
| training of 10,000 rows × 10 columns, from upload until ready | ${at(seconds, 0.5).toFixed(1)} s | ${at(seconds, 1).toFixed(1)} s |
| another request meanwhile | ${at(latencies, 0.5).toFixed(1)} ms | ${at(latencies, 1).toFixed(1)} ms |
`);

async function train(roster: RosterClient, csv: string): Promise<Round> {
  const path = { projectName: 'default', modelName: 'prices' };
  const begin = performance.now();
  const upload = roster.PUT('/api/projects/{projectName}/models/{modelName}', {
    params: { path, query: { target: 'price' } },
    body: csv,
    headers: { 'Content-Type': 'text/csv' },
  });
  const latencies: number[] = [];
  for (;;) {
    const sent = performance.now();
    const { data } = await roster.GET('/api/projects/{projectName}/models', {
      params: { path },
    });
    latencies.push(performance.now() - sent);
    const status = data?.[0]?.status;
    if (status === 'failed') throw new Error('The training failed');
    if (status !== 'ready' || !(await isAccepted(upload))) continue;
    await roster.DELETE('/api/projects/{projectName}/models/{modelName}', { params: { path } });
    return { seconds: (performance.now() - begin) / 1000, latencies };
  }
}

async function isAccepted(upload: Promise<{ response: Response }>): Promise<boolean> {
  return (await upload).response.status === 202;
}

/** @param sorted ascending */
function at(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
}
