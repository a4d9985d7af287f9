import type { SetChooser } from '../classes/prediction-sets.js';
import { mostLikely } from '../classes/probabilities.js';
import { cellText } from '../table/cells.js';
import type { TargetClass } from '../table/table.js';
import { MERGED_CLASS } from '../table/target/classes.js';
import { className } from '../table/target/target-cells.js';
import type { ClassPrediction } from './class-prediction.js';

/** Answers tell probabilities in millionths. */
const STEPS = 1e6;

/** An original of which no class is known. */
const UNKNOWN = -1;

/** Finds the class of what rows have for the target. */
export class ClassReader {
  readonly #indexOf: ReadonlyMap<string, number>;
  /** Where the model merged rare classes, texts that it does not know are of that class. */
  readonly #otherwise: number;

  constructor(classes: readonly TargetClass[]) {
    this.#indexOf = new Map(classes.map(({ name }, index) => [name, index]));
    const merged = classes.some(({ merged_count }) => merged_count > 0);
    this.#otherwise = merged ? (this.#indexOf.get(MERGED_CLASS) ?? UNKNOWN) : UNKNOWN;
  }

  /** Returns the index of the class, −1 for a text that is none, and null for a missing value. */
  of(original: unknown): number | null {
    const text = cellText(original);
    if (text === '') return null;
    return this.#indexOf.get(className(text)) ?? this.#otherwise;
  }
}

/** The probabilities of some rows, and what follows from them. */
export class PredictedClasses {
  readonly classCount: number;
  /** Row by row, one for each class. */
  readonly probabilities: Float64Array;
  /** By row: 1 where the model answers as for partial rows. */
  readonly isPartial: Uint8Array;

  /** @param most the most rows that it is to hold at once. */
  constructor(most: number, classCount: number) {
    this.classCount = classCount;
    this.probabilities = new Float64Array(most * classCount);
    this.isPartial = new Uint8Array(most);
  }

  likeliest(index: number): number {
    return mostLikely(this.probabilities, index * this.classCount, this.classCount);
  }

  /** The probability as it is told. */
  told(index: number, ofClass: number): number {
    const probability = this.probabilities[index * this.classCount + ofClass] ?? 0;
    return Math.round(probability * STEPS) / STEPS;
  }

  isInSet(index: number, ofClass: number, likeliest: number, chooser: SetChooser): boolean {
    const probability = this.probabilities[index * this.classCount + ofClass] ?? 0;
    return chooser.holds(probability, ofClass, likeliest);
  }

  /** The classes of a set, the most likely first. */
  set(index: number, likeliest: number, chooser: SetChooser): number[] {
    const begin = index * this.classCount;
    const members: number[] = [];
    for (let each = 0; each < this.classCount; each++) {
      if (this.isInSet(index, each, likeliest, chooser)) members.push(each);
    }
    const probability = (member: number) => this.probabilities[begin + member] ?? 0;
    return members.sort((one, other) => probability(other) - probability(one) || one - other);
  }

  /** Whether the class of a row's own value lies outside its set; null, if it has no value. */
  anomaly(
    index: number,
    actual: number | null,
    likeliest: number,
    chooser: SetChooser,
  ): boolean | null {
    if (actual === null) return null;
    return actual === UNKNOWN || !this.isInSet(index, actual, likeliest, chooser);
  }

  prediction(
    index: number,
    names: readonly string[],
    chooser: SetChooser,
    original: unknown,
    actual: number | null,
  ): ClassPrediction {
    const likeliest = this.likeliest(index);
    const nameOf = (member: number) => names[member] ?? '';
    return {
      class: nameOf(likeliest),
      confidence: this.told(index, likeliest),
      probabilities: names.map((_, each) => this.told(index, each)),
      set: this.set(index, likeliest, chooser).map(nameOf),
      original,
      anomaly: this.anomaly(index, actual, likeliest, chooser),
    };
  }
}
