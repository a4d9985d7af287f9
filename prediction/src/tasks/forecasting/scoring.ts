import { predictedError } from '../../intervals/conformal.js';
import { CutGrid } from '../../trees/binning/bin-mapper.js';
import { ForestScorer } from '../../trees/forest/forest-scorer.js';
import type { Steps } from '../../trees/steps.js';
import { binColumns, type Forests, type Part } from './forests.js';
import type { InputReader } from './inputs.js';

/** Rows that are scored together. */
const BLOCK_ROWS = 4096;

/** The forecasts of one series, from the first step after its last value. */
export interface Forecast {
  readonly values: Float64Array;
  /** The size of an error to expect, by step, in units of the target. */
  readonly scales: Float64Array;
  /** Below this, no value is possible: 0 for a history without negative values, else −∞. */
  readonly lowest: number;
  /** As the history alone says. */
  readonly base: Float64Array;
}

/** Forests made ready for forecasting. */
export class ForestForecaster {
  readonly #forests: Forests;
  readonly #reader: InputReader;
  readonly #grids: readonly CutGrid[];
  readonly #value: ForestScorer;
  readonly #error: ForestScorer;

  static *create(forests: Forests, reader: InputReader): Steps<ForestForecaster> {
    const value = yield* ForestScorer.create(forests.value_forest.trees);
    const error = yield* ForestScorer.create(forests.error_forest.trees);
    return new ForestForecaster(forests, reader, value, error);
  }

  private constructor(forests: Forests, reader: InputReader, value: ForestScorer, error: ForestScorer) {
    this.#forests = forests;
    this.#reader = reader;
    this.#grids = forests.cuts.map((cuts) => new CutGrid(cuts));
    this.#value = value;
    this.#error = error;
  }

  /** @param weight of what the trees say. */
  *forecast(parts: Iterable<Part>, steps: number, weight: number): Generator<Forecast> {
    const perBlock = Math.max(1, Math.floor(BLOCK_ROWS / steps));
    let block: Part[] = [];
    for (const part of parts) {
      block.push(part);
      if (block.length < perBlock) continue;
      yield* this.#forecastBlock(block, steps, weight);
      block = [];
    }
    if (block.length > 0) yield* this.#forecastBlock(block, steps, weight);
  }

  #forecastBlock(block: readonly Part[], steps: number, weight: number): Forecast[] {
    const width = this.#reader.names.length;
    const rowCount = block.length * steps;
    const columns = new Float64Array(rowCount * width);
    const bases = block.map(({ series, end }, index) => {
      const { base, inputs } = this.#reader.read(series, end, steps);
      for (let step = 0; step < steps; step++) {
        for (let feature = 0; feature < width; feature++) {
          columns[feature * rowCount + index * steps + step] = inputs[step * width + feature] ?? 0;
        }
      }
      return base;
    });
    const bins = binColumns(columns, this.#grids, rowCount);
    const { value_forest, error_forest, error_floor } = this.#forests;
    const deviations = new Float64Array(rowCount).fill(value_forest.base);
    this.#value.addToAll(deviations, bins, rowCount);
    const errors = new Float64Array(rowCount).fill(error_forest.base);
    this.#error.addToAll(errors, bins, rowCount);
    return bases.map(({ values, scale, lowest }, index) => ({
      values: values.map((value, step) =>
        Math.max(value + weight * scale * (deviations[index * steps + step] ?? 0), lowest),
      ),
      scales: values.map(
        (_, step) => scale * predictedError(errors[index * steps + step] ?? 0, error_floor),
      ),
      lowest,
      base: values.map((value) => Math.max(value, lowest)),
    }));
  }
}
