import { ask, type Headers } from '../../../../testkit/http/client.js';
import type { Scenario } from '../../../scenario/scenario.js';
import type { Attack } from '../../attacks/attack.js';
import { scenariosOf } from '../../attacks/family.js';
import { type HostileRequest, hostileClients } from '../../attacks/hostile-clients.js';
import {
  blankLines,
  dictionaryText,
  HUGE_TARGETS,
  largeParquetTexts,
  manyRowGroups,
  sharedArrowText,
  sharedRowGroups,
} from './files.js';
import { heldDictionaries } from './held-dictionaries.js';
import { MODELS, trainWide } from './wide-model.js';

const ARROW = 'application/vnd.apache.arrow.stream';
const PARQUET = 'application/vnd.apache.parquet';
const NDJSON = 'application/x-ndjson';
const GZIP = { 'Content-Encoding': 'gzip' };

/** The statuses of rows and of tables that are refused for what they are. */
const REFUSED = [400, 422];

const attacks: readonly Attack[] = [
  ofFile('shared-arrow-text', sharedArrowText, { 'Content-Type': ARROW, ...GZIP }, REFUSED),
  ofFile('large-parquet-texts', largeParquetTexts, { 'Content-Type': PARQUET }, REFUSED),
  ofFile(
    'dictionary-text',
    () => dictionaryText(100_000, 20_000),
    { 'Content-Type': PARQUET },
    REFUSED,
  ),
  ofFile(
    'large-dictionary-text',
    () => dictionaryText(31_000_000, 20_000),
    { 'Content-Type': PARQUET },
    REFUSED,
  ),
  ofFile('shared-row-groups', sharedRowGroups, { 'Content-Type': PARQUET }, REFUSED),
  ofFile('many-row-groups', manyRowGroups, { 'Content-Type': PARQUET }, REFUSED),
  ofFile('blank-lines', blankLines, { 'Content-Type': NDJSON, ...GZIP }, [200, 422]),
  hostileClients(
    'huge-targets',
    async (target, owner) => {
      await ask('POST', `${target.url}/projects`, { project: { name: 'attackers' } }, owner);
      const json = { 'Content-Type': 'application/json' };
      const row = Buffer.from('[{"x":1}]');
      return [
        train(Buffer.from(HUGE_TARGETS), { 'Content-Type': 'text/csv' }, 4),
        {
          method: 'POST',
          path: (n) => `${MODELS}/m${Math.floor(n / 2) % 4}/predict`,
          headers: json,
          body: row,
        },
      ];
    },
    { expects: [202] },
  ),
  heldDictionaries,
];

/** Files that cost far more than they are long, and numbers that no model holds. */
export const hostileFiles: readonly Scenario[] = scenariosOf({
  name: 'hostile-files',
  bounds: { health: 250, memory: 1024 },
  attacks,
  isHostile: true,
});

/** Returns an attack that predicts the rows of a file, answered in each format, and trains from it. */
function ofFile(
  name: string,
  make: () => Buffer,
  headers: Headers,
  expects: readonly number[],
): Attack {
  let body: Buffer | undefined;
  return hostileClients(
    name,
    async (target, owner) => {
      await trainWide(target, owner);
      body ??= make();
      const bytes = body;
      const predict = (accept: string): HostileRequest => ({
        ...{ method: 'POST', path: () => `${MODELS}/wide/predict`, body: bytes },
        headers: { ...headers, Accept: accept },
      });
      const formats = [ARROW, 'application/json', 'text/csv'];
      return [...formats.map(predict), train(bytes, headers, Number.POSITIVE_INFINITY)];
    },
    { expects },
  );
}

/** @param models the number of models that are trained in turn */
function train(body: Buffer, headers: Headers, models: number): HostileRequest {
  return {
    method: 'PUT',
    path: (n) => `${MODELS}/m${Math.floor(n / 2) % models}?target=y`,
    headers,
    body,
  };
}
