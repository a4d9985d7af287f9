import type { components } from '../../../generated/openapi.js';
import type { RemoteProject } from '../project-client.js';
import { findSentType, type SentType } from './sent-columns.js';

type Model = components['schemas']['Model'];

/** The version of a model that scores rows. */
export interface ScoredModel {
  readonly name: string;
  readonly version: number;
  readonly checksum: string;
  readonly target: string;
  /** The columns that it reads. */
  readonly columns: readonly string[];
  /** Returns how a column of a type of DuckDB is sent; undefined if the model does not read it. */
  readonly sentType: (name: string, duckdbType: string) => SentType | undefined;
}

/**
 * Finds the version of a model that scores all rows: the one that is named, or the serving one, which stays the same
 * if another begins to serve meanwhile.
 * @param all true for the columns that the model does not use, too: warnings are about all
 * @throws {ServiceProblem} if there is no such model
 * @throws if it is not ready, or does not answer row by row
 */
export async function findModel(project: RemoteProject, name: string, all: boolean): Promise<ScoredModel> {
  const shown = await project.readModel(name);
  const isNamed = name === `${shown.name}.${shown.version}`;
  const serving = isNamed ? shown.version : shown.serving_version;
  if (serving === null) throw notReady(shown);
  const model = serving === shown.version ? shown : await project.readModel(`${shown.name}.${serving}`);
  const { columns, checksum, target, task, status } = model;
  if (status !== 'ready' || columns === null || checksum === null) throw notReady(model);
  if (task === 'forecast') {
    throw new Error(
      `${name} forecasts series, and does not answer row by row; send the rows to its address of predictions`,
    );
  }
  const used = columns.filter(({ used }) => used || all).map((column) => column.name);
  return {
    name: shown.name,
    version: serving,
    checksum,
    target,
    columns: used,
    sentType: (_, type) => findSentType(type),
  };
}

function notReady({ name, status, progress, failure }: Model): Error {
  if (status === 'failed') return new Error(`the training of ${name} has failed: ${failure}`);
  return new Error(`${name} is not ready: its training is at ${Math.floor(progress * 100)} %; score when it has ended`);
}
