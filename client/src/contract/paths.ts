import type { paths } from '../../../generated/openapi.js';

/** A body that is sent unchanged, in any form that fetch accepts. */
type SentAsItIs = string | Blob | ReadableStream<Uint8Array>;

/** A CSV table. */
export type CsvTable = SentAsItIs;

/** Rows to predict as NDJSON. */
export type RowLines = SentAsItIs;

type ModelPath = '/api/projects/{projectName}/models/{modelName}';
type PredictPath = `${ModelPath}/predict`;
type PreviewPath = '/api/projects/{projectName}/tables/preview';

type TrainModel = paths[ModelPath]['put'];
type Predict = paths[PredictPath]['post'];
type Preview = paths[PreviewPath]['post'];

/** Every body but JSON is sent as it is. */
type AnyBytes<Content> = {
  [MediaType in keyof Content]: MediaType extends 'application/json'
    ? Content[MediaType]
    : SentAsItIs;
};

type FromBytes<Operation extends TrainModel | Preview> = Omit<Operation, 'requestBody'> & {
  requestBody: { content: AnyBytes<Operation['requestBody']['content']> };
};

type Answer = Predict['responses'][200];

/**
 * Answers in other formats than JSON are read as text or as a stream, which the contract cannot
 * describe; `data` is the JSON response.
 */
type PredictBytes = Omit<Predict, 'requestBody' | 'responses'> & {
  requestBody: { content: AnyBytes<Predict['requestBody']['content']> };
  responses: Omit<Predict['responses'], 200> & {
    200: Omit<Answer, 'content'> & { content: Pick<Answer['content'], 'application/json'> };
  };
};

/**
 * The addresses of the contract, with two differences from `paths`. Types generated from a contract
 * allow only a string for bodies other than JSON, whereas `trainModel`, `previewTable` and `predict` here also
 * accept a Blob or a stream. And `predict` has only its JSON response.
 */
export type RosterPaths = Omit<paths, ModelPath | PredictPath | PreviewPath> & {
  [Path in ModelPath]: Omit<paths[Path], 'put'> & { put: FromBytes<TrainModel> };
} & {
  [Path in PreviewPath]: Omit<paths[Path], 'post'> & { post: FromBytes<Preview> };
} & {
  [Path in PredictPath]: Omit<paths[Path], 'post'> & { post: PredictBytes };
};
