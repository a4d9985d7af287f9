/** Exports for the process that answers requests. */

export { type Finding, mergeFindings } from './findings/finding.js';
export {
  type AnswerFormat,
  type AnswerOptions,
  type AnswerPart,
  DeclinedError,
  type RowFormat,
  type TableForm,
  UnknownNamesError,
} from './io/answer-part.js';
export { answerParsedRows, answerRows } from './io/answer-rows.js';
export { FormatError, JsonShapeError, MalformedJsonError } from './io/columns/format-error.js';
export { csvField } from './io/csv/csv-field.js';
export type {
  SentTruth,
  TruthChunk,
  TruthColumns,
  TruthGroup,
  UnreadTruth,
} from './io/gathered-truths.js';
export { blameRows } from './model/summary.js';
export { exportOnnx, type ModelFacts, ONNX_REVISION } from './onnx/export.js';
export { chooseIds } from './promises/ids.js';
export type { PromisedIds } from './promises/match-ids.js';
export {
  decodeBins,
  decodePromises,
  isInSet,
  isKept,
  joinPromises,
  type Promises,
} from './promises/promise-batch.js';
export {
  createTruthReader,
  type PromisedColumn,
  type PromiseSubject,
  UNKNOWN_CLASS,
} from './promises/subject.js';
export { TruthSheet } from './promises/truth-sheet.js';
export type { Remembering } from './rows/answer-layout.js';
export type { PredictOptions } from './rows/blocks.js';
export { MAX_ROWS, type RememberedPart } from './rows/promise-memory.js';
export type { SchemaCheck } from './rows/row-check.js';
export type { RowWarning, RowWarnings, UnknownName } from './rows/row-warnings.js';
export { listForecastOptions } from './serving/row-server.js';
export { SLICE_WORK } from './serving/work.js';
export type { ColumnChoices } from './table/column.js';
export { columnName } from './table/column-names.js';
export type { RowRanges } from './table/dropped-rows.js';
export { InvalidRowsError, type RowFault } from './table/invalid-rows.js';
export { wordsIn } from './table/missing-words.js';
export { shownReading, type TableMarks } from './table/reading/column-reading.js';
export { nameSeason } from './table/season-name.js';
export type { ForecastGoal, SeriesReport } from './table/series-table.js';
export {
  type Goal,
  MAX_CELLS as MAX_TABLE_CELLS,
  MAX_ROWS as MAX_TABLE_ROWS,
  type ModelTask,
  type Task,
} from './table/table.js';
export { TableError, type TableFault } from './table/table-error.js';
export type { ValidationChoice } from './table/validation.js';
export type { ClassificationModel } from './tasks/classification/model.js';
export type { ClassPrediction } from './tasks/classification/server.js';
export { type ForecastPrediction, SeriesServer } from './tasks/forecasting/server.js';
export { decodeModel, decodeModelInSteps, type Model } from './tasks/models.js';
export {
  type AnyPredictor,
  Classifier,
  createPredictor,
  createPredictorInSteps,
  Predictor,
  type RowPredictor,
} from './tasks/predictors.js';
export type { RegressionModel } from './tasks/regression/model.js';
export type { Prediction } from './tasks/regression/server.js';
export { finish, type Pause, runSteps, type Steps } from './trees/steps.js';
