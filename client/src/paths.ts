import type { paths } from '../../generated/openapi.js';

/** A CSV table, in any of the forms in which fetch can send it as it is. */
export type CsvTable = string | Blob | ReadableStream<Uint8Array>;

type ModelPath = '/api/projects/{projectName}/models/{modelName}';

type TrainModel = paths[ModelPath]['put'];

type TableContent = TrainModel['requestBody']['content'];

type TrainModelFromAnyCsv = Omit<TrainModel, 'requestBody'> & {
  requestBody: { content: Omit<TableContent, 'text/csv'> & { 'text/csv': CsvTable } };
};

/**
 * The addresses of the contract. They differ from `paths` in one point: types made from a contract
 * know a file only as a string, whereas `trainModel` here takes a Blob or a stream as well.
 */
export type RosterPaths = Omit<paths, ModelPath> & {
  [Path in ModelPath]: Omit<paths[Path], 'put'> & { put: TrainModelFromAnyCsv };
};
