import type { Headers } from '../../testkit/http/client.js';
import {
  type Attack,
  type HostileRequest,
  hostileClients,
  MODELS,
  pouring,
  type Target,
} from './attacks.js';
import type { Family } from './family.js';
import {
  blankLines,
  dictionaryStream,
  dictionaryText,
  HUGE_TARGETS,
  largeParquetTexts,
  manyRowGroups,
  sharedArrowText,
  sharedRowGroups,
  WIDE_TABLE,
} from './hostile-file-bodies.js';

const ARROW = { 'Content-Type': 'application/vnd.apache.arrow.stream' };
const PARQUET = { 'Content-Type': 'application/vnd.apache.parquet' };
const NDJSON = { 'Content-Type': 'application/x-ndjson' };
const GZIP = { 'Content-Encoding': 'gzip' };
const WIDE = `${MODELS}/wide`;

/** The statuses of rows and of tables that are refused for what they are. */
const REFUSED = [400, 422];

/** Returns an attack that predicts the rows of a file, answered in each format, and trains from it. */
function ofFile(
  name: string,
  make: () => Buffer,
  headers: Headers,
  expects: readonly number[] = REFUSED,
): Attack {
  let made: Buffer | undefined;
  return hostileClients(
    name,
    async (target, owner) => {
      await trainWide(target, owner);
      made ??= make();
      const body = made;
      const formats = [ARROW['Content-Type'], 'application/json', 'text/csv'];
      const predict = (Accept: string): HostileRequest => ({
        ...{ method: 'POST', path: () => `${WIDE}/predict`, body },
        headers: { ...headers, Accept },
      });
      return [...formats.map(predict), train(body, headers, Number.POSITIVE_INFINITY)];
    },
    { expects },
  );
}

/** Trains a model of texts, whose rows are attacked. */
function trainWide(target: Target, owner: Headers): Promise<void> {
  return target.model(owner, WIDE_TABLE, WIDE, 'y');
}

/** @param models the number of models that are trained in turn */
function train(body: Buffer, headers: Headers, models: number): HostileRequest {
  const path = (n: number) => `${MODELS}/m${Math.floor(n / 2) % models}?target=y`;
  return { method: 'PUT', path, headers, body };
}

/** Arrow streams that hold a dictionary just below what one may hold, and go on row by row. */
function heldDictionaries(): Attack {
  const body = () => {
    const { begin, row } = dictionaryStream();
    return {
      ...({ method: 'POST', path: () => `${WIDE}/predict`, type: ARROW['Content-Type'] } as const),
      ...{ length: 2 ** 32, begin, piece: row, between: 200, pause: 500 },
    };
  };
  // As many as the service takes on at once are answered.
  const crew = { owners: 2, clients: 4, expects: [200], prepare: trainWide };
  return pouring('held-dictionaries', body, crew);
}

/** Files that cost far more than they are long, and numbers that no model holds. */
export const hostileFiles: Family = {
  name: 'hostile-files',
  bounds: { health: 250, memory: 1024 },
  attacks: [
    ofFile('shared-arrow-text', sharedArrowText, { ...ARROW, ...GZIP }),
    ofFile('large-parquet-texts', largeParquetTexts, PARQUET),
    ofFile('dictionary-text', () => dictionaryText(100_000, 20_000), PARQUET),
    ofFile('large-dictionary-text', () => dictionaryText(31_000_000, 20_000), PARQUET),
    ofFile('shared-row-groups', sharedRowGroups, PARQUET),
    ofFile('many-row-groups', manyRowGroups, PARQUET),
    ofFile('blank-lines', blankLines, { ...NDJSON, ...GZIP }, [200, 422]),
    hostileClients(
      'huge-targets',
      async (target, owner) => {
        await target.project(owner);
        return [
          train(Buffer.from(HUGE_TARGETS), { 'Content-Type': 'text/csv' }, 4),
          {
            method: 'POST',
            path: (n) => `${MODELS}/m${Math.floor(n / 2) % 4}/predict`,
            headers: { 'Content-Type': 'application/json' },
            body: Buffer.from('[{"x":1}]'),
          },
        ];
      },
      { expects: [202] },
    ),
    heldDictionaries(),
  ],
  isHostile: true,
};
