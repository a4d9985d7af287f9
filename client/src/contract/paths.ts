import type { paths } from '../../../generated/openapi.js';

/** A body that is sent unchanged, in any form that fetch accepts. */
type SentAsItIs = string | Blob | ReadableStream<Uint8Array>;

/** A CSV table. */
export type CsvTable = SentAsItIs;

/** Rows to predict as NDJSON. */
export type RowLines = SentAsItIs;

type ModelPath = '/api/projects/{projectName}/models/{modelName}';
type PredictPath = `${ModelPath}/predict`;
type RecordPath = `${ModelPath}/record`;
type ActualsPath = `${ModelPath}/actuals`;
type PreviewPath = '/api/projects/{projectName}/tables/preview';

type DocumentPath = '/projects/{project_name}/skills/{skill_name}/documents/{document_name}';

type TrainModel = paths[ModelPath]['put'];
type Predict = paths[PredictPath]['post'];
type Preview = paths[PreviewPath]['post'];
type AddActuals = paths[ActualsPath]['post'];
type PutDocument = paths[DocumentPath]['put'];

/** Every body but JSON is sent as it is. */
type AnyBytes<Content> = {
  [MediaType in keyof Content]: MediaType extends 'application/json' ? Content[MediaType] : SentAsItIs;
};

type FromBytes<Operation extends TrainModel | Preview | AddActuals | PutDocument> = Omit<Operation, 'requestBody'> & {
  requestBody: { content: AnyBytes<Operation['requestBody']['content']> };
};

/**
 * Answers in other formats than JSON are read as text or as a stream, which the contract cannot
 * describe; `data` is the JSON response.
 */
type AnswersJson<Operation extends { responses: { 200: { content: { 'application/json': unknown } } } }> = Omit<
  Operation,
  'responses'
> & {
  responses: Omit<Operation['responses'], 200> & {
    200: Omit<Operation['responses'][200], 'content'> & {
      content: Pick<Operation['responses'][200]['content'], 'application/json'>;
    };
  };
};

type PredictBytes = AnswersJson<Omit<Predict, 'requestBody'>> & {
  requestBody: { content: AnyBytes<Predict['requestBody']['content']> };
};

/**
 * The addresses of the contract, with two differences from `paths`. Types generated from a contract
 * allow only a string for bodies other than JSON, whereas `trainModel`, `previewTable`, `addActuals`,
 * `putDocument` and `predict` here also accept a Blob or a stream. And `predict` and `getRecord` have only their JSON response.
 */
export type RosterPaths = Omit<
  paths,
  ModelPath | PredictPath | PreviewPath | RecordPath | ActualsPath | DocumentPath
> & {
  [Path in DocumentPath]: Omit<paths[Path], 'put'> & { put: FromBytes<PutDocument> };
} & {
  [Path in ModelPath]: Omit<paths[Path], 'put'> & { put: FromBytes<TrainModel> };
} & {
  [Path in PreviewPath]: Omit<paths[Path], 'post'> & { post: FromBytes<Preview> };
} & {
  [Path in ActualsPath]: Omit<paths[Path], 'post'> & { post: FromBytes<AddActuals> };
} & {
  [Path in PredictPath]: Omit<paths[Path], 'post'> & { post: PredictBytes };
} & {
  [Path in RecordPath]: Omit<paths[Path], 'get'> & { get: AnswersJson<paths[Path]['get']> };
};
