import { MAX_BLOCK_BYTES } from '../../columns/byte-budget.js';
import { JsonBuffer } from '../../serving/json-buffer.js';
import type { RowBlock } from '../../serving/row-binner.js';
import { Cell } from '../../table/cells.js';
import { derivedColumns, setColumn } from '../../table/column-names.js';
import type { AnswerOptions } from '../answer-part.js';
import type { BlockAnswers, BlockPredictor } from '../block-predictor.js';
import { CellBlock } from '../cells/cell-block.js';
import { CELL, CellKind } from '../cells/cell-kind.js';
import type { AnswerWriter } from '../formats.js';
import { CellLines } from './cell-lines.js';
import { CsvBuffer, csvField } from './csv-buffer.js';

/** Bytes to begin with. */
const CAPACITY = 80 * 1024;
const JSON_CAPACITY = 4096;

/**
 * Writes answers as CSV (RFC 4180, lines end with CRLF): a header line, and for each row the input columns as sent, then
 * for numbers the prediction, its confidence and its bounds, for classes the class, its confidence, and the set as a JSON
 * array. With `explain` the original, the anomaly and the explanation follow.
 */
export class CsvWriter implements AnswerWriter {
  readonly #blocks: BlockPredictor;
  readonly #explain: boolean;
  readonly #cells: readonly Cell[];
  readonly #out = new CsvBuffer(CAPACITY);
  readonly #json = new JsonBuffer(JSON_CAPACITY);
  #hasHeader = false;
  #lines: CellLines | undefined;
  #classes: readonly ClassFields[] = [];

  constructor(blocks: BlockPredictor, { explain = false }: Pick<AnswerOptions, 'explain'>) {
    this.#blocks = blocks;
    this.#explain = explain;
    this.#cells = blocks.columns.map(({ name }) => new Cell(name));
  }

  get length(): number {
    return this.#out.length;
  }

  *write(block: RowBlock, answers: BlockAnswers): Generator<void> {
    this.#header();
    if (block instanceof CellBlock && answers.task === 'regression' && !this.#explain) {
      this.#lines ??= new CellLines(block.lent, this.#cells.length, this.#blocks.maxRows);
      yield* this.#lines.write(this.#out, block, answers.predicted, (index) =>
        this.#row(block, answers, index),
      );
      return;
    }
    for (let index = 0; index < block.rowCount; index++) {
      this.#row(block, answers, index);
      if (this.#out.length >= MAX_BLOCK_BYTES) yield;
    }
  }

  end(): void {
    this.#header();
  }

  take(): Uint8Array {
    return this.#out.take();
  }

  #row(block: RowBlock, answers: BlockAnswers, index: number): void {
    this.#inputs(block, index);
    if (answers.task === 'regression') this.#number(answers, index);
    else this.#class(answers, index);
    if (this.#explain) this.#explanation(block, index);
    this.#out.lineEnd();
  }

  #header(): void {
    if (this.#hasHeader) return;
    this.#hasHeader = true;
    const { columns, target, task } = this.#blocks;
    const { confidence, min, max, original, anomaly, explain } = derivedColumns(target);
    const answer = task === 'regression' ? [min, max] : [setColumn(target)];
    const names = [...columns.map(({ name }) => name), target, confidence, ...answer];
    if (this.#explain) names.push(original, anomaly, explain);
    this.#out.raw(names.map(csvField).join());
    this.#out.lineEnd();
  }

  #inputs(block: RowBlock, index: number): void {
    if (block instanceof CellBlock && !block.others.has(index)) this.#cellsOf(block, index);
    else this.#valuesOf(block, index);
  }

  /** Copies cells, without a value for each. */
  #cellsOf(block: CellBlock, index: number): void {
    const { words, bytes } = block.lent.memory;
    const out = this.#out;
    const { length } = this.#cells;
    let place = (block.place.cells + CELL * index * block.plan.columns.length) / 4;
    for (let column = 0; column < length; column++, place += 2) {
      const start = words[place] ?? 0;
      const size = words[place + 1] ?? 0;
      const end = start + (size >>> 3);
      const isCopied = COPIED[size & 7] === true && out.plainField(bytes, start, end);
      if (isCopied) continue;
      this.#value(block.value(index, column));
      out.comma();
    }
  }

  #valuesOf(block: RowBlock, index: number): void {
    const row = block.row(index);
    for (const cell of this.#cells) {
      this.#value(cell.of(row));
      this.#out.comma();
    }
  }

  #value(value: unknown): void {
    if (typeof value === 'string') this.#out.text(value);
    else if (typeof value === 'number' && Number.isFinite(value)) this.#out.number(value);
    else if (typeof value === 'boolean') this.#out.raw(String(value));
    else if (typeof value === 'object' && value !== null) this.#out.text(JSON.stringify(value));
  }

  #number({ predicted }: Extract<BlockAnswers, { task: 'regression' }>, index: number): void {
    const out = this.#out;
    out.number(predicted.values[index] ?? 0);
    out.comma();
    out.number(predicted.confidences[index] ?? 0);
    out.comma();
    out.number(predicted.mins[index] ?? 0);
    out.comma();
    out.number(predicted.maxs[index] ?? 0);
  }

  #class(answers: Extract<BlockAnswers, { task: 'classification' }>, index: number): void {
    const { predicted, names, chooserOf } = answers;
    if (this.#classes.length !== names.length) this.#classes = names.map(fieldsOf);
    const out = this.#out;
    const likeliest = predicted.likeliest(index);
    out.bytes(this.#classes[likeliest]?.name ?? NOTHING);
    out.comma();
    out.number(predicted.told(index, likeliest));
    out.raw(',"[');
    for (const [place, member] of predicted.set(index, likeliest, chooserOf(index)).entries()) {
      if (place > 0) out.comma();
      out.bytes(this.#classes[member]?.member ?? NOTHING);
    }
    out.raw(']"');
  }

  /** Writes what JSON answers have, from the JSON of the row. */
  #explanation(block: RowBlock, index: number): void {
    this.#blocks.writeJson(this.#json, block.row(index), index);
    const told: unknown = JSON.parse(Buffer.from(this.#json.take()).toString());
    const { original, anomaly, explain } = derivedColumns(this.#blocks.target);
    const row = Object(told);
    for (const name of [original, anomaly, explain]) {
      this.#out.comma();
      this.#value(row[name]);
    }
  }
}

/** By the kind of a cell, whether its bytes are a field of CSV. */
const COPIED: readonly boolean[] = Array.from({ length: 8 }, (_, kind) =>
  [CellKind.missing, CellKind.text, CellKind.number, CellKind.boolean].some((one) => one === kind),
);

const NOTHING = new Uint8Array();

/** A class as the name of the answer, and as a member of the set within quotes. */
interface ClassFields {
  readonly name: Uint8Array;
  readonly member: Uint8Array;
}

function fieldsOf(name: string): ClassFields {
  return {
    name: Buffer.from(csvField(name)),
    member: Buffer.from(JSON.stringify(name).replaceAll('"', '""')),
  };
}
