import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { Crowd, wire } from '../../testkit/http/load.js';
import { median, percent } from '../../testkit/numbers.js';
import { processorTime, type Service } from '../../testkit/service/measured-service.js';
import type { Finding, Scenario } from '../scenario/scenario.js';
import { diamondPrices, withService } from './service.js';

const ROWS = 10_000;
const ROUNDS = 7;
const SECONDS = 3;
/** The next body arrives while an answer is written. */
const CONNECTIONS = 2;

const PARSE_AND_STRINGIFY = new URL('./parse-and-stringify.js', import.meta.url);

/**
 * Predictions of 10,000 rows a body, compared with the cost of JSON.parse of the request and JSON.stringify of
 * the answer in the same process while it is otherwise idle: without HTTP, validation or a model. Measured in
 * turn, round by round.
 */
export const jsonBodies: Scenario = {
  name: 'json-bodies',
  run: (folder) => withService(folder, (service) => measure(folder, service), PARSE_AND_STRINGIFY),
};

async function measure(folder: string, service: Service): Promise<Finding[]> {
  const model = await diamondPrices(service);
  const { rows } = diamondTable(ROWS);
  const path = `${new URL(model).pathname}/predict`;
  const body = Buffer.from(JSON.stringify(rows));
  const answer = await predict(`${service.url}${path}`, body);
  const request = wire(service.url, 'POST', path, rows);
  const [bodyFile, answerFile] = [join(folder, 'body.json'), join(folder, 'answer.json')];
  await Promise.all([writeFile(bodyFile, body), writeFile(answerFile, answer)]);
  const crowd = new Crowd(service.url, () => request);
  const served: number[] = [];
  const costs: number[] = [];
  const plain: number[] = [];
  await crowd.closedLoop(CONNECTIONS, SECONDS);
  for (let round = 0; round < ROUNDS; round++) {
    const before = processorTime(service.pid);
    const load = await crowd.closedLoop(CONNECTIONS, SECONDS);
    if (load.others.length > 0) throw new Error(load.others[0]);
    served.push((load.served * ROWS) / load.seconds);
    costs.push((processorTime(service.pid) - before) / load.sent);
    plain.push(ROWS * Number(await service.ask(`parse and stringify ${bodyFile} ${answerFile}`)));
  }
  crowd.close();
  const ratios = served.map((rate, round) => rate / (plain[round] ?? 0));
  const sizes = `${megabytes(body.length)} in, ${megabytes(Buffer.byteLength(answer))} out`;
  return [
    {
      asked: `predict over HTTP, ${ROWS.toLocaleString('en')}-row JSON bodies (${sizes}): more rows a second than JSON.parse + JSON.stringify alone`,
      measured: `${percent(median(ratios))} (median of ${ROUNDS} rounds): ${thousands(median(served))} rows/s against ${thousands(median(plain))} rows/s; ${median(costs).toFixed(1)} ms of processor a body`,
      passed: median(ratios) > 1,
    },
  ];
}

async function predict(url: string, body: Buffer): Promise<string> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return response.text();
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function thousands(value: number): string {
  return `${Math.round(value / 1000).toLocaleString('en')} k`;
}
