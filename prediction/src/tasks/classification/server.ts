import { type AdaptedCalibration, shiftAt } from '../../calibration/adapting.js';
import { type Recalibration, recalibrate } from '../../calibration/recalibration.js';
import { Rounding } from '../../intervals/target-range.js';
import { createClassReader, type PromisedTarget, UNKNOWN_CLASS } from '../../promises/subject.js';
import { type AnswerLayout, flagChoice, layOutAnswer } from '../../rows/answer-layout.js';
import { BlockExplainer, type Explanation, ModelExplainer } from '../../rows/block-explainer.js';
import { BlockScorer, ModelScorers, RowBinner, type RowBlock } from '../../rows/row-binner.js';
import type { AskedNumbers, TaskAnswer, TaskServer } from '../../serving/row-server.js';
import {
  baseColumn,
  baseProbabilityColumn,
  contributionColumn,
  derivedColumns,
  probabilityColumn,
  setColumn,
} from '../../table/column-names.js';
import { countTrees, type Scores } from '../../trees/forest/tree.js';
import type { Steps } from '../../trees/steps.js';
import type { ClassificationModel } from './model.js';
import { describeThresholds, SetChooser } from './prediction-sets.js';
import { mostLikely, ProbabilityEstimator } from './probabilities.js';

export interface ClassPrediction {
  /** The most likely class. */
  class: string;
  /** Its probability: of the rows answered with probability p, a share p is of their class. */
  confidence: number;
  /** The probability of each class, in the order of the model's classes. */
  probabilities: number[];
  /** The classes that may be the truth at the confidence asked for, the most likely first; never empty. */
  set: string[];
  /** The row's own value of the target, as sent; null if it has none. */
  original: unknown;
  /** True if the original's class lies outside the set; null if the row has none. */
  anomaly: boolean | null;
  /** Where it was asked for: in log-odds of the class, with the probability that it has by the base alone. */
  explanation?: Explanation & { readonly baseProbability: number };
}

/** The confidence of sets where none is asked for. */
export const DEFAULT_CONFIDENCE = 0.9;

/** Answers state probabilities in millionths. */
export const STEPS = 1e6;

/** The places of the choices of a row. Its numbers are the confidence, then the probability of each class. */
const [ANOMALY, LIKELIEST, SET] = [0, 1, 2];

function classLayout(model: Pick<ClassificationModel, 'target' | 'classes' | 'columns'>): AnswerLayout {
  const { target } = model;
  const { original, confidence, min, max, anomaly, explain } = derivedColumns(target);
  const texts = model.classes.map(({ name }) => name);
  const likeliest = { kind: 'text', at: LIKELIEST, texts } as const;
  const level = { kind: 'number', at: 0 } as const;
  const outside = { kind: 'flag', at: ANOMALY } as const;
  return layOutAnswer(model, false, (truth) => [
    { name: target, ...likeliest, part: 'lean' },
    { name: original, ...truth, part: 'explained' },
    { name: confidence, ...level, part: 'lean' },
    { name: min, kind: 'null', part: 'full' },
    { name: max, kind: 'null', part: 'full' },
    { name: anomaly, ...outside, part: 'explained' },
    {
      name: explain,
      kind: 'object',
      members: [
        { name: 'predicted_value', ...likeliest },
        { name: 'confidence', ...level },
        { name: 'anomaly', ...outside },
        { name: 'truth', ...truth },
        ...texts.map((name, index) => {
          return { name: `probability_class_${name}`, kind: 'number', at: 1 + index } as const;
        }),
      ],
      part: 'explained',
    },
    { name: setColumn(target), kind: 'list', at: SET, texts, part: 'lean' },
    ...texts.map((text, index) => {
      const name = probabilityColumn(target, text);
      return { name, kind: 'number', at: 1 + index, part: 'probabilities' } as const;
    }),
  ]);
}

/** A model without its trees, which the scorers have in a separate form. */
type Facts = Omit<ClassificationModel, 'class_forests' | 'partial_rows'>;

interface Parts {
  readonly model: Facts;
  /** The thresholds of partial rows. */
  readonly partialSets: ClassificationModel['sets'];
  readonly names: readonly string[];
  readonly binner: RowBinner;
  readonly scorers: ModelScorers;
  /** The probabilities of ordinary rows, and of partial ones. */
  readonly estimator: ProbabilityEstimator;
  readonly partialEstimator: ProbabilityEstimator;
  /** Undefined for a model of a release before 0.3.0. */
  readonly explainer: ModelExplainer | undefined;
  /** Finds the class of a row's own value of the target: see `createClassReader`. */
  readonly readClass: (original: unknown) => number | null;
}

/** Makes a classifier ready to predict rows as classes, each with a set. */
export function* serveClasses(model: ClassificationModel): Steps<TaskServer<ClassPrediction>> {
  const { class_forests, partial_rows, ...facts } = model;
  const { classes, sets, probabilities, missing_words, metrics } = facts;
  const corrections = partial_rows?.correction_forests;
  const parts: Parts = {
    model: facts,
    partialSets: (partial_rows ?? model).sets,
    names: classes.map(({ name }) => name),
    binner: yield* RowBinner.create(model),
    scorers: yield* ModelScorers.create(class_forests, corrections),
    estimator: new ProbabilityEstimator(probabilities),
    partialEstimator: new ProbabilityEstimator((partial_rows ?? model).probabilities),
    explainer: ModelExplainer.of(model, class_forests, corrections),
    readClass: createClassReader(classes, missing_words?.target),
  };
  return {
    layout: classLayout(facts),
    binner: parts.binner,
    forestBytes: parts.scorers.bytes + (parts.explainer?.bytes ?? 0),
    facts,
    trees: countTrees([...class_forests, ...(corrections ?? [])]),
    get promised(): PromisedTarget {
      const calibration = { thresholds: describeThresholds(sets) };
      const words = missing_words && { missing_words: missing_words.target };
      const calibrated_rows = metrics.held_out_rows;
      return { task: 'classification', reading: null, ...words, classes, calibration, calibrated_rows };
    },
    defaultLevel: DEFAULT_CONFIDENCE,
    explainer: parts.explainer,
    contributions: parts.explainer ? nameContributions(facts.target, parts.explainer) : [],
    begin: (asked, maxRows, adapted) => new PredictedClasses(parts, adapted, asked, maxRows),
  };
}

/** Contributions to log-odds are rounded to twelve decimals, so that rounding does not show in their sum. */
const EXPLAINED_ROUNDING = new Rounding(1e-8);

function nameContributions(target: string, { names }: ModelExplainer): string[] {
  return [baseColumn(target), baseProbabilityColumn(target), ...names.map((name) => contributionColumn(target, name))];
}

class PredictedClasses implements TaskAnswer<ClassPrediction> {
  readonly numbers: Float64Array;
  readonly #parts: Parts;
  readonly #names: readonly string[];
  /** The map of the trained probabilities; null for themselves. */
  readonly #recalibration: Recalibration | null;
  /** The choice of sets, by kind of row. */
  readonly #ordinarySets: SetChooser;
  readonly #partialSets: SetChooser;
  readonly #scorer: BlockScorer;
  /** Row by row, one for each class. */
  readonly #probabilities: Float64Array;
  readonly #likeliest: Uint8Array;
  /** The sets of the block's rows that were asked for: an answer that is remembered asks twice. */
  readonly #sets = new Map<number, readonly number[]>();
  readonly #explainer: BlockExplainer | undefined;
  /** By kind of row: the probabilities of a row of which nothing is known. */
  readonly #baseProbabilities: readonly [ordinary: readonly number[], partial: readonly number[]] | undefined;
  /** The numbers of a row. */
  readonly #stride: number;

  constructor(
    parts: Parts,
    adapted: AdaptedCalibration | undefined,
    { confidence = DEFAULT_CONFIDENCE, contributions }: AskedNumbers,
    maxRows: number,
  ) {
    const { model, names, explainer } = parts;
    this.#parts = parts;
    this.#names = names;
    this.#recalibration = adapted?.probabilities ?? null;
    const shift = adapted ? shiftAt(adapted.shifts, confidence) : 0;
    this.#ordinarySets = new SetChooser(model.sets, confidence, shift);
    this.#partialSets = new SetChooser(parts.partialSets, confidence, shift);
    this.#scorer = new BlockScorer(parts.scorers, parts.binner, maxRows);
    this.#probabilities = new Float64Array(maxRows * names.length);
    this.#likeliest = new Uint8Array(maxRows);
    this.#stride = 1 + names.length;
    if (contributions && explainer) {
      this.#explainer = new BlockExplainer(explainer, maxRows);
      this.#baseProbabilities = [this.#findBase(explainer, false), this.#findBase(explainer, true)];
      this.#stride += 2 + this.#explainer.length;
    }
    this.numbers = new Float64Array(maxRows * this.#stride);
  }

  get bins(): Uint8Array {
    return this.#scorer.binned.bins;
  }

  predict(block: RowBlock): void {
    const count = block.rowCount;
    const scorer = this.#scorer;
    scorer.score(block);
    this.#estimate(this.#parts.estimator, scorer.ordinary, count);
    this.#estimate(this.#parts.partialEstimator, scorer.partial, count);
    if (this.#recalibration) this.#recalibrate(this.#recalibration, count);
    this.#writeNumbers(count);
    if (this.#explainer) this.#explain(this.#explainer, count);
    this.#sets.clear();
  }

  writeChoices(row: number, original: unknown, choices: Uint8Array, at: number): void {
    choices[at + ANOMALY] = flagChoice(this.#isAnomaly(row, original));
    choices[at + LIKELIEST] = this.#likeliest[row] ?? 0;
    const set = this.#set(row);
    let end = at + SET;
    choices[end++] = set.length;
    for (const member of set) choices[end++] = member;
  }

  prediction(row: number, original: unknown): ClassPrediction {
    const nameOf = (member: number) => this.#names[member] ?? '';
    const numbers = this.numbers.subarray(row * this.#stride);
    const own = 1 + this.#names.length;
    const [confidence = 0, ...probabilities] = numbers.subarray(0, own);
    const [base = 0, baseProbability = 0] = numbers.subarray(own, own + 2);
    const contributions = numbers.subarray(own + 2, this.#stride);
    return {
      ...(this.#explainer && { explanation: { ...this.#explainer.describe(base, contributions), baseProbability } }),
      class: nameOf(this.#likeliest[row] ?? 0),
      confidence,
      probabilities,
      set: this.#set(row).map(nameOf),
      original,
      anomaly: this.#isAnomaly(row, original),
    };
  }

  /** Returns whether the class of a row's own value lies outside its set; null, if it has no value. */
  #isAnomaly(row: number, original: unknown): boolean | null {
    const actual = this.#parts.readClass(original);
    return actual === null ? null : actual === UNKNOWN_CLASS || !this.#isInSet(row, actual);
  }

  #isInSet(row: number, member: number): boolean {
    const chooser = this.#scorer.isPartial(row) ? this.#partialSets : this.#ordinarySets;
    return chooser.holds(this.#probability(row, member), member, this.#likeliest[row] ?? 0);
  }

  /** The classes of a set, the most likely first. */
  #set(row: number): readonly number[] {
    const known = this.#sets.get(row);
    if (known) return known;
    const members: number[] = [];
    for (let each = 0; each < this.#names.length; each++) {
      if (this.#isInSet(row, each)) members.push(each);
    }
    members.sort((one, other) => {
      return this.#probability(row, other) - this.#probability(row, one) || one - other;
    });
    this.#sets.set(row, members);
    return members;
  }

  #probability(row: number, ofClass: number): number {
    return this.#probabilities[row * this.#names.length + ofClass] ?? 0;
  }

  /** @param count the rows of the block. */
  #estimate(estimator: ProbabilityEstimator, rows: Uint32Array, count: number): void {
    const scores: Scores = { values: this.#scorer.scores, stride: count };
    const { length } = this.#names;
    for (const row of rows) estimator.write(this.#probabilities, row * length, scores, row);
  }

  #recalibrate(recalibration: Recalibration, count: number): void {
    const { length } = this.#names;
    for (let from = 0; from < count * length; from += length) {
      const trained = this.#probabilities.subarray(from, from + length);
      trained.set(recalibrate(recalibration, Array.from(trained)));
    }
  }

  #writeNumbers(count: number): void {
    const { length } = this.#names;
    const { numbers } = this;
    const probabilities = this.#probabilities;
    for (let row = 0; row < count; row++) {
      const from = row * length;
      const at = row * this.#stride;
      for (let each = 0; each < length; each++) {
        numbers[at + 1 + each] = Math.round((probabilities[from + each] ?? 0) * STEPS) / STEPS;
      }
      const likeliest = mostLikely(probabilities, from, length);
      this.#likeliest[row] = likeliest;
      numbers[at] = numbers[at + 1 + likeliest] ?? 0;
    }
  }

  /** Returns the probabilities of a row of which nothing is known. */
  #findBase(explainer: ModelExplainer, isPartial: boolean): readonly number[] {
    const { estimator, partialEstimator, names } = this.#parts;
    const forests = names.length === 2 ? 1 : names.length;
    const values = Float64Array.from({ length: forests }, (_, forest) => explainer.expected(forest, isPartial));
    const probabilities = new Float64Array(names.length);
    (isPartial ? partialEstimator : estimator).write(probabilities, 0, { values, stride: 1 }, 0);
    const trained = Array.from(probabilities);
    return this.#recalibration ? recalibrate(this.#recalibration, trained) : trained;
  }

  /** Writes the base, its probability and the contributions: they add up to the score of the class that is answered. */
  #explain(explainer: BlockExplainer, count: number): void {
    const { numbers } = this;
    const { estimator, partialEstimator, names } = this.#parts;
    const { values, bases, length } = explainer;
    explainer.explain(this.#scorer, count, (row) => estimator.forestOf(this.#likeliest[row] ?? 0));
    for (let row = 0; row < count; row++) {
      const isPartial = this.#scorer.isPartial(row);
      const ofRow = isPartial ? partialEstimator : estimator;
      const ofClass = this.#likeliest[row] ?? 0;
      const slope = ofRow.slope(ofClass);
      const probability = this.#baseProbabilities?.[isPartial ? 1 : 0][ofClass] ?? 0;
      let at = row * this.#stride + 1 + names.length;
      numbers[at++] = EXPLAINED_ROUNDING.nearest(ofRow.score(ofClass, bases[row] ?? 0));
      numbers[at++] = Math.round(probability * STEPS) / STEPS;
      const end = (row + 1) * length;
      for (let from = row * length; from < end; from++) {
        numbers[at++] = EXPLAINED_ROUNDING.nearest(slope * (values[from] ?? 0));
      }
    }
  }
}
