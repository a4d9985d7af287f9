import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTableWithPlaces, reportTable } from 'roster-prediction/reading';
import { array, object, optional, parse, picklist, string } from 'valibot';
import { root } from '../../testkit/root.js';

const tables = array(object({ name: string(), target: string() }));
const Listed = object({ datasets: tables, repository: string(), tables });

/** Findings that were judged by eye: `wrong` is what is not so, or what no reader of the table would call odd. */
const Judged = array(
  object({
    table: string(),
    kind: string(),
    column: optional(string()),
    verdict: picklist(['right', 'wrong']),
    because: string(),
  }),
);

export type Finding = ReturnType<typeof reportTable>['findings'][number];

/** A table that one would predict a column of, as CSV. */
export interface CleanTable {
  readonly name: string;
  readonly target: string;
  readonly lines: readonly string[];
}

function readOwn(name: string): unknown {
  return JSON.parse(readFileSync(fileURLToPath(new URL(`bench/findings/${name}`, root)), 'utf8'));
}

/**
 * Reads the public tables that `clean-tables.json` lists from a clone of their repository, which may be bare.
 *
 * @param clones has the clone as OWNER+NAME, OWNER+NAME/repo or OWNER/NAME.
 * @throws if there is no clone, or it lacks a table.
 */
export function readCleanTables(clones: string): { readonly repository: string; readonly tables: CleanTable[] } {
  const { repository, tables } = parse(Listed, readOwn('clean-tables.json'));
  const [owner = '', name = ''] = repository.split('/');
  const places = [join(`${owner}+${name}`, 'repo'), `${owner}+${name}`, join(owner, name)];
  const clone = places.map((place) => join(clones, place)).find(existsSync);
  if (clone === undefined) throw new Error(`${clones} has no clone of ${repository}.`);
  const read = (path: string) =>
    execFileSync('git', ['-C', clone, 'show', `HEAD:${path}`], { encoding: 'utf8', maxBuffer: 2 ** 28 });
  return {
    repository,
    tables: tables.map((table) => ({ ...table, lines: read(`csv/${table.name}.csv`).trim().split(/\r?\n/) })),
  };
}

/** Reads the tables of `datasets/` that `clean-tables.json` lists. */
export function readDatasets(): CleanTable[] {
  const read = (name: string) => readFileSync(fileURLToPath(new URL(`datasets/${name}.csv`, root)), 'utf8');
  const { datasets } = parse(Listed, readOwn('clean-tables.json'));
  return datasets.map((table) => ({ ...table, lines: read(table.name).trim().split(/\r?\n/) }));
}

export function readJudged() {
  return parse(Judged, readOwn('judged.json'));
}

/** Returns what a training would report of a table. */
export async function inspect(lines: readonly string[], target: string): Promise<readonly Finding[]> {
  const source = (async function* () {
    yield Buffer.from(lines.join('\n'));
  })();
  const { table, places, targetAt } = await readTableWithPlaces('csv', source, target);
  return reportTable(table, places, targetAt).findings;
}
