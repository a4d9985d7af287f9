import { predictedError } from '../../intervals/conformal.js';
import { ModelExplainer } from '../../rows/block-explainer.js';
import { everyRow } from '../../training/folds.js';
import { CutGrid } from '../../trees/binning/bin-mapper.js';
import { createScorer, type ForestScorer, scorerMemory } from '../../trees/forest/forest-scorer.js';
import type { Steps } from '../../trees/steps.js';
import { binColumns, type Forests } from './forests.js';
import type { InputReader } from './inputs.js';
import type { Part } from './series.js';

/** Rows that are scored together. */
const BLOCK_ROWS = 4096;

/** The forecast of the values after a part, by step. */
export interface PartForecast {
  /** A power of two near the largest value of the part, in which all of this is: so no difference is too large for a double. */
  readonly unit: number;
  /** As the history alone says. */
  readonly base: Float64Array;
  /** By what repeats values: see `BaseForecast`. */
  readonly naives: readonly Float64Array[];
  /** The correction by the trees. */
  readonly corrections: Float64Array;
  /** The size of the error to expect. */
  readonly scales: Float64Array;
  /** Whether these are in proportion to a scale that is assumed: see `BaseForecast`. */
  readonly isScaleAssumed: boolean;
  /** Below this, no value is possible: 0 for a history without negative values, else −∞. */
  readonly lowest: number;
  /** Whether the base is the mean of intermittent demand: neither trees nor naive forecasts, which are 0, change it. */
  readonly isIntermittent: boolean;
  /** Where it was asked for. */
  readonly explanation?: PartExplanation;
}

/** The parts of a forecast, in its unit, by step. */
interface PartExplanation {
  /** The part of the base that the season makes up. */
  readonly seasonal: Float64Array;
  /** The mean correction by the trees, and what each subject of `InputReader` adds to that, step by step. */
  readonly expected: number;
  readonly contributions: Float64Array;
}

/** Forests made ready for forecasting. */
export class PartForecaster {
  readonly #grids: readonly CutGrid[];
  /** The bases of the forests: their trees are in the scorers, in a separate form. */
  readonly #valueBase: number;
  readonly #errorBase: number;
  readonly #errorFloor: number;
  readonly #baseErrors: readonly number[] | undefined;

  /** @param memory where the forests are laid out. */
  static *create(forests: Forests, reader: InputReader, memory = scorerMemory()): Steps<PartForecaster> {
    const value = yield* createScorer(forests.value_forest.trees, memory);
    const error = yield* createScorer(forests.error_forest.trees, memory);
    const inputs = {
      columns: Array.from({ length: 1 + Math.max(...reader.subjects) }, (_, subject) => ({ name: String(subject) })),
      features: reader.subjects.map((column) => ({ column })),
    };
    const explainer = ModelExplainer.of(inputs, [forests.value_forest], undefined);
    return new PartForecaster(forests, reader, value, error, explainer);
  }

  private constructor(
    { cuts, value_forest, error_forest, error_floor, base_errors }: Forests,
    private readonly reader: InputReader,
    private readonly valueScorer: ForestScorer,
    private readonly errorScorer: ForestScorer,
    /** Undefined for a model of a release before 0.3.0. */
    readonly explainer: ModelExplainer | undefined,
  ) {
    this.#grids = cuts.map((ofFeature) => new CutGrid(ofFeature));
    this.#valueBase = value_forest.base;
    this.#errorBase = error_forest.base;
    this.#errorFloor = error_floor;
    this.#baseErrors = base_errors;
  }

  /** The bytes of memory that its forests take. */
  get bytes(): number {
    return this.valueScorer.bytes + this.errorScorer.bytes + (this.explainer?.bytes ?? 0);
  }

  /** Forecasts parts in their order. */
  forecast(parts: readonly Part[], steps: number, isExplained = false): PartForecast[] {
    const perBlock = Math.max(1, Math.floor(BLOCK_ROWS / steps));
    const forecasts: PartForecast[] = [];
    for (let start = 0; start < parts.length; start += perBlock) {
      const block = parts.slice(start, start + perBlock);
      for (const forecast of this.#forecastBlock(block, steps, isExplained)) forecasts.push(forecast);
    }
    return forecasts;
  }

  #forecastBlock(block: readonly Part[], steps: number, isExplained: boolean): PartForecast[] {
    const width = this.reader.names.length;
    const rowCount = block.length * steps;
    const columns = new Float64Array(rowCount * width);
    const bases = block.map(({ series, end }, index) => {
      const { base, inputs } = this.reader.read(series, end, steps, this.#baseErrors);
      for (let at = 0; at < inputs.length; at++) {
        const step = Math.floor(at / width);
        columns[(at - step * width) * rowCount + index * steps + step] = inputs[at] ?? 0;
      }
      return base;
    });
    const bins = binColumns(columns, this.#grids, rowCount);
    const deviations = new Float64Array(rowCount).fill(this.#valueBase);
    this.valueScorer.addToAll(deviations, bins, rowCount);
    const errors = new Float64Array(rowCount).fill(this.#errorBase);
    this.errorScorer.addToAll(errors, bins, rowCount);
    const explained = isExplained ? this.#explain(bins, rowCount) : undefined;
    return bases.map(({ unit, values, naives, seasonal, scale, isScaleAssumed, lowest, isIntermittent }, index) => {
      const first = index * steps;
      const share = isIntermittent ? 0 : scale;
      const explanation = explained && {
        seasonal,
        expected: share * explained.expected,
        contributions: explained.values
          .subarray(first * explained.subjects, (first + steps) * explained.subjects)
          .map((value) => share * value),
      };
      return {
        ...(explanation && { explanation }),
        unit,
        base: values,
        naives,
        corrections: values.map((_, step) => share * (deviations[first + step] ?? 0)),
        scales: values.map((_, step) => scale * predictedError(errors[first + step] ?? 0, this.#errorFloor)),
        isScaleAssumed,
        lowest,
        isIntermittent,
      };
    });
  }

  /** Explains the corrections by the trees of some rows. */
  #explain(bins: Uint8Array, rowCount: number) {
    const { explainer } = this;
    if (!explainer) return undefined;
    const subjects = explainer.names.length;
    const values = new Float64Array(rowCount * subjects);
    explainer.addTo(values, 0, everyRow(rowCount), false, bins, rowCount);
    return { subjects, values, expected: explainer.expected(0, false) };
  }
}

/** A naive forecast that others are mixed with. */
export interface NaiveShare {
  /** Its index in `naives`. */
  readonly index: number;
  /** Above 0, up to 1. */
  readonly share: number;
}

/** The answer: the base with a share of the correction by trees, 0 to 1, mixed with a naive forecast or not. */
export interface Answer {
  readonly weight: number;
  readonly naive?: NaiveShare | undefined;
}

/** Returns the forecast values, in the unit of the part. */
export function weighForecast(forecast: PartForecast, { weight, naive }: Answer) {
  const { base, corrections, lowest } = forecast;
  const repeated = naive && findNaive(forecast, naive);
  return base.map((value, step) => {
    const own = Math.max(value + weight * (corrections[step] ?? 0), lowest);
    return naive && repeated ? mixNaive(own, repeated[step] ?? own, naive.share) : own;
  });
}

/** Returns the naive forecast that is mixed with, by step; undefined if none is. */
export function findNaive({ naives, isIntermittent }: PartForecast, { index }: NaiveShare): Float64Array | undefined {
  return isIntermittent ? undefined : naives[index];
}

/** Returns a forecast with a share of a naive one: all of that, to the last bit, if the share is 1. */
export function mixNaive(own: number, repeated: number, share: number): number {
  return (1 - share) * own + share * repeated;
}
