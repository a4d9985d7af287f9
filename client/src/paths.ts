import type { paths } from '../../generated/openapi.js';

/** A body that is sent as it is, in any of the forms in which fetch can send one. */
type SentAsItIs = string | Blob | ReadableStream<Uint8Array>;

/** A CSV table. */
export type CsvTable = SentAsItIs;

/** Rows to predict as lines of JSON. */
export type RowLines = SentAsItIs;

type ModelPath = '/api/projects/{projectName}/models/{modelName}';
type PredictPath = `${ModelPath}/predict`;

type TrainModel = paths[ModelPath]['put'];
type Predict = paths[PredictPath]['post'];

type TableContent = TrainModel['requestBody']['content'];
type RowsContent = Predict['requestBody']['content'];

type TrainModelFromAnyCsv = Omit<TrainModel, 'requestBody'> & {
  requestBody: { content: Omit<TableContent, 'text/csv'> & { 'text/csv': CsvTable } };
};

type Answer = Predict['responses'][200];

/** Lines are read as text or as a stream, which no type of the contract describes; `data` is the answer in JSON. */
type PredictAnyLines = Omit<Predict, 'requestBody' | 'responses'> & {
  requestBody: {
    content: Omit<RowsContent, 'application/x-ndjson'> & { 'application/x-ndjson': RowLines };
  };
  responses: Omit<Predict['responses'], 200> & {
    200: Omit<Answer, 'content'> & { content: Pick<Answer['content'], 'application/json'> };
  };
};

/**
 * The addresses of the contract. They differ from `paths` in two points: types made from a contract know
 * what is not JSON only as a string, whereas `trainModel` and `predict` here take a Blob or a stream as
 * well; and what `predict` answers is told for JSON alone.
 */
export type RosterPaths = Omit<paths, ModelPath | PredictPath> & {
  [Path in ModelPath]: Omit<paths[Path], 'put'> & { put: TrainModelFromAnyCsv };
} & {
  [Path in PredictPath]: Omit<paths[Path], 'post'> & { post: PredictAnyLines };
};
