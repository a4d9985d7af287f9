/**
 * Exchanges files with DuckDB and Polars: the service trains with what they write, predicts it, and they read the
 * answers. Trainings must give the same model, and answers the same predictions. A library without a build for
 * this platform is left out, with the reason.
 *
 * usage: npm run test:dataframes
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRosterClient, type PredictionFormat, predictFile, trainFile, untilReady } from 'roster-client';
import { scriptCommand } from '../../testkit/command-line.js';
import { someDiamonds } from '../../testkit/data/diamonds.js';
import { startServer } from '../../testkit/service/server-process.js';
import { duckDb, type Frames, polars, type Rows, type WrittenFile } from './libraries.js';

const MODEL = { projectName: 'default', modelName: 'prices' };
const COMPARED = ['price', 'price_min', 'price_max', 'price_confidence'];

scriptCommand('test:dataframes', 'Exchange files with DuckDB and Polars.').parse();

const folder = await mkdtemp(join(tmpdir(), 'roster-dataframes-'));
const server = await startServer({ env: { RATE_LIMIT: '0' } });
const roster = createRosterClient({ baseUrl: server.url });
try {
  const csv = join(folder, 'diamonds.csv');
  await writeFile(csv, someDiamonds(1000));
  const checksum = await train({ format: 'csv', path: csv });
  const expected = await predict({ format: 'csv', path: csv }, 'json');
  const rows: Rows = JSON.parse(await readFile(expected.path, 'utf8'));
  for (const make of [duckDb, polars]) {
    const frames = await made(make);
    if (frames) await exchange(frames, csv, checksum, compared(rows));
  }
} finally {
  await server.stop();
  await rm(folder, { recursive: true });
}

async function made(make: () => Frames | Promise<Frames>): Promise<Frames | undefined> {
  try {
    return await make();
  } catch (error) {
    const [reason = ''] = String(error).split('\n');
    const platform = `${process.platform} ${process.arch} with Node ${process.version}`;
    process.stdout.write(`${make.name} is left out: no build for ${platform}? ${reason}\n`);
    return undefined;
  }
}

async function exchange(frames: Frames, csv: string, checksum: string, expected: string) {
  for (const file of await frames.write(csv, folder)) {
    const name = [frames.name, file.format, file.compression].filter(Boolean).join(' ');
    tell(`${name} trains the same model`, (await train(file)) === checksum);
    for (const to of frames.reads) {
      if (to === 'parquet' || to === 'xlsx') continue;
      const answer = await predict(file, to);
      const rows = await frames.read(answer);
      tell(`${name} → ${to}`, compared(rows) === expected);
    }
  }
}

function tell(what: string, holds: boolean): void {
  process.stdout.write(`${holds ? 'ok  ' : 'FAIL'} ${what}\n`);
  if (!holds) process.exitCode = 1;
}

async function train({ format, path }: WrittenFile): Promise<string> {
  await trainFile(roster, MODEL, await readFile(path), { format, target: 'price' });
  const { checksum } = await untilReady(roster, MODEL, { every: 50 });
  return String(checksum);
}

async function predict({ format, path }: WrittenFile, to: PredictionFormat): Promise<WrittenFile> {
  const { body } = await predictFile(roster, MODEL, await readFile(path), { format, to });
  const answer = join(folder, `answer.${to}`);
  await writeFile(answer, Buffer.from(await new Response(body).arrayBuffer()));
  return { format: to, path: answer };
}

/** Returns the predictions alone, as text. A reader may give a number as a BigInt. */
function compared(rows: Rows): string {
  return JSON.stringify(rows.map((row) => COMPARED.map((column) => Number(row[column]))));
}
