/** Exports for what becomes of promises: the alarm, what adapts, coverage and drift. */

export {
  type AdaptedCalibration,
  findIntervalNeeds,
  findSetNeeds,
  moveShifts,
  type PromisedInterval,
  SHIFT_LEVELS,
  type Shifts,
  shiftAt,
  shiftThreshold,
  startShifts,
} from './calibration/adapting.js';
export {
  moveRecalibration,
  type Recalibration,
  recalibrate,
  startRecalibration,
} from './calibration/recalibration.js';
export { describeWidths, stepGroup } from './calibration/trained-calibration.js';
export {
  type AlarmState,
  bet,
  type Outcome,
  startAlarm,
} from './record/alarm.js';
export { type Coverage, CoverageCounter, summarize } from './record/coverage.js';
export { type Drift, findDrift, MAX_COMPARED } from './record/drift.js';
export {
  addTruth,
  correctTruth,
  type MetPromise,
  measureError,
  type RunningRecord,
  startRecord,
} from './record/running-record.js';
export { decodeSample } from './record/training-sample.js';
export { describeThresholds } from './tasks/classification/prediction-sets.js';
