import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { percent } from '../../testkit/numbers.js';
import type { Service } from '../../testkit/service/measured-service.js';
import type { Finding, Scenario } from '../scenarios.js';
import {
  bodyOf,
  compare,
  middle,
  pricesPath,
  ROWS,
  rateOf,
  ratio,
  requestOf,
  rowsASecond,
  withService,
} from './service.js';

const ROUNDS = 7;
const SECONDS = 3;

const PARSE_AND_STRINGIFY = new URL('./parse-and-stringify.js', import.meta.url);

/**
 * Predictions of 10,000 rows a body, one body after the other, compared with the cost of JSON.parse of the request
 * and JSON.stringify of the answer in the same process while it is otherwise idle: without HTTP, validation or a
 * model. Measured in turn, round by round.
 */
export const jsonBodies: Scenario = {
  name: 'json-bodies',
  run: (folder) =>
    withService(folder, (service) => measure(folder, service), { preload: PARSE_AND_STRINGIFY }),
};

async function measure(folder: string, service: Service): Promise<Finding[]> {
  const path = await pricesPath(service);
  const body = bodyOf('json');
  const answer = await predict(`${service.url}${path}`, body);
  const [bodyFile, answerFile] = [join(folder, 'body.json'), join(folder, 'answer.json')];
  await Promise.all([writeFile(bodyFile, body), writeFile(answerFile, answer)]);
  const request = requestOf(service.url, path, 'json');
  const compared = await compare(
    () => rateOf({ service, request }, SECONDS),
    async () => {
      const times = await service.ask(`parse and stringify ${bodyFile} ${answerFile}`);
      return { perSecond: Number(times), cost: Number.NaN };
    },
    ROUNDS,
  );
  const share = ratio(compared, 'perSecond');
  const sizes = `${megabytes(body.length)} in, ${megabytes(answer.length)} out`;
  return [
    {
      asked: `predict over HTTP, ${ROWS.toLocaleString('en')}-row JSON bodies (${sizes}) of one client: as many rows a second as JSON.parse + JSON.stringify alone`,
      measured: `${percent(share)} (median of ${ROUNDS} rounds): ${rowsASecond(compared.first)} against ${rowsASecond(compared.second)}; ${middle(compared.first, 'cost').toFixed(1)} ms of processor a body`,
      passed: share >= 1,
    },
  ];
}

async function predict(url: string, body: Buffer): Promise<Buffer> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return Buffer.from(await response.arrayBuffer());
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
