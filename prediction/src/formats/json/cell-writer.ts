import { MAX_BLOCK_BYTES } from '../../columns/byte-budget.js';
import type { JsonBuffer } from '../../serving/json-buffer.js';
import type { ClassReader } from '../../serving/predicted-classes.js';
import { actualValue, type PredictedRows } from '../../serving/row-predictor.js';
import type { BlockAnswers, BlockPredictor } from '../block-predictor.js';
import type { CellBlock } from '../cells/cell-block.js';
import type { CellMemory } from '../cells/cell-memory.js';
import { NUMBER_TEXT, writeNumberTexts } from '../cells/number-texts.js';
import {
  ANOMALY,
  type AnswerProgram,
  CLASS_CHOICE,
  classProgram,
  NUMBER,
  numberProgram,
} from './answer-program.js';
import { CellRewriter } from './cell-rewriter.js';
import { layProgram } from './program-image.js';

type NumberAnswers = Extract<BlockAnswers, { task: 'regression' }>;
type ClassAnswers = Extract<BlockAnswers, { task: 'classification' }>;

/** Bytes of room for an answer to begin with; it grows to that of a row. */
const ROOM = 128 * 1024;

/** A byte before each row, and one behind it; 0 for none. */
export interface Separators {
  readonly before: number;
  readonly behind: number;
}

/** A stretch of the kernel's memory. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Writes answer rows in the kernel, from cells and predictions to bytes. The rows of one body are written by one. */
export class CellWriter {
  readonly #lent: CellMemory;
  readonly #target: number;
  readonly #program: AnswerProgram;
  readonly #parts: ReturnType<typeof layProgram>;
  /** Addresses: of doubles, of numbers as texts, of choices and of a list of cells or rows. */
  readonly #doubles: number;
  readonly #numbers: number;
  readonly #choices: number;
  readonly #list: number;
  readonly #classes: ClassReader | undefined;
  #room: Stretch;
  readonly #rewriter: CellRewriter;

  constructor(
    { columns, target, maxRows }: BlockPredictor,
    block: CellBlock,
    answers: BlockAnswers,
  ) {
    const { lent, plan } = block;
    const inputs = columns.map(({ name }) => name);
    this.#lent = lent;
    this.#target = inputs.length;
    this.#classes = answers.task === 'classification' ? answers.reader : undefined;
    this.#program =
      answers.task === 'classification'
        ? classProgram(inputs, target, answers.names)
        : numberProgram(inputs, target);
    this.#parts = layProgram(lent, this.#program);
    const { memory } = lent;
    this.#doubles = memory.allocate(8 * maxRows * this.#program.numberCount);
    this.#numbers = memory.allocate(NUMBER_TEXT * maxRows * this.#program.numberCount);
    this.#choices = memory.allocate(maxRows * this.#program.choiceCount);
    this.#list = memory.allocate(4 * maxRows * plan.columns.length);
    this.#room = this.#allocate(ROOM);
    this.#rewriter = new CellRewriter(lent, this.#list);
  }

  /** Prepares a block, whose rows `write` writes then. */
  begin(block: CellBlock, answers: BlockAnswers): void {
    if (answers.task === 'regression') this.#tellNumbers(block, answers);
    else this.#tellClasses(block, answers);
    this.#rewriter.rewrite(block);
  }

  /** Writes the rows from one index up to another, none of which is an object. Yields as `AnswerWriter.write`. */
  *write(
    out: JsonBuffer,
    { plan, place }: CellBlock,
    from: number,
    to: number,
    { before, behind }: Separators,
  ): Generator<void> {
    const { kernel } = this.#lent.memory;
    const { numberCount, choiceCount } = this.#program;
    for (let row = from; row < to; ) {
      const { start, end } = this.#room;
      const next = kernel.writeRows(
        ...([plan.start, this.#parts.parts, this.#parts.partsEnd, place.cells] as const),
        ...([this.#numbers, numberCount, this.#choices, choiceCount] as const),
        ...([row, to, start, end, before, behind] as const),
      );
      out.bytes(this.#lent.memory.bytes.subarray(start, kernel.writtenEnd()));
      if (next === row) this.#room = this.#allocate(2 * (end - start));
      row = next;
      if (out.length >= MAX_BLOCK_BYTES) yield;
    }
  }

  #tellNumbers(block: CellBlock, { predicted }: NumberAnswers): void {
    const { rowCount } = block;
    const actual = this.#actualValues(block, predicted);
    const { bytes } = this.#lent.memory;
    for (let row = 0; row < rowCount; row++) {
      const anomaly = predicted.anomaly(row, actual[row] ?? Number.NaN);
      bytes[this.#choices + row] = anomalyChoice(anomaly);
    }
    this.#writeNumbers(predicted.values.subarray(0, rowCount), NUMBER.value);
    this.#writeNumbers(predicted.confidences.subarray(0, rowCount), NUMBER.confidence);
    this.#writeNumbers(predicted.mins.subarray(0, rowCount), NUMBER.min);
    this.#writeNumbers(predicted.maxs.subarray(0, rowCount), NUMBER.max);
  }

  /** Returns the rows' own values of the target. */
  #actualValues(block: CellBlock, { readActual }: PredictedRows): Float64Array {
    const { kernel } = this.#lent.memory;
    const { plan, place, rowCount } = block;
    const [cells, target] = [place.cells, this.#target];
    const values = this.#doubles;
    const count = kernel.readValues(plan.start, cells, target, rowCount, values, this.#list);
    const { words, doubles } = this.#lent.memory;
    for (let index = 0; index < count; index++) {
      const row = words[this.#list / 4 + index] ?? 0;
      doubles[values / 8 + row] = actualValue(block.value(row, target) ?? null, readActual);
    }
    return doubles.subarray(values / 8, values / 8 + rowCount);
  }

  #tellClasses(block: CellBlock, { predicted, chooserOf }: ClassAnswers): void {
    const { choiceCount, numberCount } = this.#program;
    const { bytes } = this.#lent.memory;
    const told = new Float64Array(block.rowCount * numberCount);
    for (let row = 0; row < block.rowCount; row++) {
      const likeliest = predicted.likeliest(row);
      const chooser = chooserOf(row);
      const original = block.value(row, this.#target) ?? null;
      const actual = original === null ? null : (this.#classes?.of(original) ?? null);
      const anomaly = predicted.anomaly(row, actual, likeliest, chooser);
      const set = predicted.set(row, likeliest, chooser);
      const choices = this.#choices + row * choiceCount;
      bytes[choices + CLASS_CHOICE.anomaly] = anomalyChoice(anomaly);
      bytes[choices + CLASS_CHOICE.likeliest] = likeliest;
      bytes[choices + CLASS_CHOICE.set] = set.length;
      bytes.set(set, choices + CLASS_CHOICE.set + 1);
      told[row * numberCount] = predicted.told(row, likeliest);
      for (let each = 1; each < numberCount; each++) {
        told[row * numberCount + each] = predicted.told(row, each - 1);
      }
    }
    this.#writeNumbers(told, 0, 1);
  }

  /** Writes numbers as texts, from a place in the rows on. */
  #writeNumbers(values: Float64Array, place: number, stride = this.#program.numberCount): void {
    const texts = this.#numbers + NUMBER_TEXT * place;
    const places = { doubles: this.#doubles, texts, step: NUMBER_TEXT * stride };
    writeNumberTexts(this.#lent.memory, values, places, JSON.stringify);
  }

  #allocate(length: number): Stretch {
    const start = this.#lent.memory.allocate(length);
    return { start, end: start + length };
  }
}

function anomalyChoice(anomaly: boolean | null): number {
  if (anomaly === null) return ANOMALY.none;
  return anomaly ? ANOMALY.outside : ANOMALY.inside;
}
