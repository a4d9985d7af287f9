import {
  BoolWriter,
  type ColumnWriter,
  ListWriter,
  NumberWriter,
  TextWriter,
} from '../../arrow/column-writers.js';
import { isPassedOn } from '../../arrow/sent-columns.js';
import { TypeId } from '../../arrow/types.js';
import { JsonBuffer } from '../../serving/json-buffer.js';
import type { PredictedClasses } from '../../serving/predicted-classes.js';
import type { PredictedRows } from '../../serving/row-predictor.js';
import { cellText, parseNumber } from '../../table/cells.js';
import { derivedColumns, setColumn } from '../../table/column-names.js';
import { readerOf } from '../../table/reading/tell-reading.js';
import type { BlockAnswers, BlockPredictor } from '../block-predictor.js';
import type { AnswerBlock } from './answer-block.js';
import { ClassColumn } from './class-column.js';
import { MadeColumn, type OutputColumn } from './output-columns.js';
import { SentColumn } from './sent-column.js';

/** The choices that decide the columns of an answer. */
export interface AnswerShape {
  readonly blocks: BlockPredictor;
  readonly explain: boolean;
  readonly isFile: boolean;
  /** The first rows; undefined, if there are none. */
  readonly first: AnswerBlock | undefined;
}

/** Returns the columns of an answer, in their order. */
export function answerColumns(shape: AnswerShape): OutputColumn[] {
  const { blocks, explain } = shape;
  const { target, task } = blocks;
  let nextId = 0;
  const inputs = blocks.columns.map(({ name, kind, reading }) =>
    echoColumn(shape, name, name, kind === 'number' ? readerOf(kind, reading) : null, nextId++),
  );
  const predicted = task === 'regression' ? numberColumns(target) : classColumns(target, nextId++);
  if (!explain) return [...inputs, ...predicted];
  const { original, anomaly, explain: explanation } = derivedColumns(target);
  const read = task === 'regression' ? parseNumber : null;
  return [
    ...inputs,
    ...predicted,
    echoColumn(shape, target, original, read, nextId++),
    new MadeColumn(anomaly, new BoolWriter(), (writer, block) => {
      addOfJson(writer, block, blocks, (answer) => {
        const value = answer[anomaly];
        return typeof value === 'boolean' ? value : null;
      });
    }),
    new MadeColumn(explanation, new TextWriter(), (writer, block) => {
      addOfJson(writer, block, blocks, (answer) => textOf(answer[explanation]));
    }),
  ];
}

/**
 * A column of what rows sent under the name `source`.
 *
 * @param read reads a number from a text; null, if the column is no number.
 */
function echoColumn(
  { first, isFile }: AnswerShape,
  source: string,
  name: string,
  read: ((text: string) => number) | null,
  id: number,
): OutputColumn {
  const raw = first?.arrow?.columns.get(source);
  if (raw && isPassedOn(raw)) return new SentColumn(source, name, raw, id, isFile);
  if (read && raw?.field.type.id !== TypeId.Utf8View) {
    return new MadeColumn(name, new NumberWriter(), (writer, block) => {
      const valueAt = block.valuesOf(source);
      for (let row = 0; row < block.rowCount; row++) writer.add(numberOf(valueAt(row), read));
    });
  }
  return new MadeColumn(name, new TextWriter(), (writer, block) => {
    const valueAt = block.valuesOf(source);
    for (let row = 0; row < block.rowCount; row++) writer.add(textOf(valueAt(row)));
  });
}

/** A value of JSON as a number: NaN, if it is none. */
function numberOf(value: unknown, read: (text: string) => number): number {
  return typeof value === 'number' ? value : read(cellText(value));
}

/** A value of JSON as text: a text itself, and null for a missing value. */
function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function numberColumns(target: string): OutputColumn[] {
  const { confidence, min, max } = derivedColumns(target);
  const column = (name: string, of: (predicted: PredictedRows) => Float64Array) =>
    new MadeColumn(name, new NumberWriter(), (writer, { rowCount }, answers) => {
      if (answers.task !== 'regression') return;
      writer.addAll(of(answers.predicted).subarray(0, rowCount));
    });
  return [
    column(target, ({ values }) => values),
    column(confidence, ({ confidences }) => confidences),
    column(min, ({ mins }) => mins),
    column(max, ({ maxs }) => maxs),
  ];
}

type Classes = Extract<BlockAnswers, { task: 'classification' }>;

function classColumns(target: string, id: number): OutputColumn[] {
  return [
    new ClassColumn(target, id),
    perClass(derivedColumns(target).confidence, new NumberWriter(), ({ predicted }, row) =>
      predicted.told(row, predicted.likeliest(row)),
    ),
    perClass(setColumn(target), new ListWriter(), ({ predicted, names, chooserOf }, row) =>
      setOf(predicted, row, chooserOf).map((member) => names[member] ?? ''),
    ),
  ];
}

function setOf(predicted: PredictedClasses, row: number, chooserOf: Classes['chooserOf']) {
  return predicted.set(row, predicted.likeliest(row), chooserOf(row));
}

function perClass<T>(
  name: string,
  writer: ColumnWriter<T>,
  valueAt: (answers: Classes, row: number) => T,
): OutputColumn {
  return new MadeColumn(name, writer, (to, { rowCount }, answers) => {
    if (answers.task !== 'classification') return;
    for (let row = 0; row < rowCount; row++) to.add(valueAt(answers, row));
  });
}

/** Adds what the rows of an answer in JSON have: the explanation is the same in all formats. */
function addOfJson<T>(
  writer: ColumnWriter<T>,
  block: AnswerBlock,
  blocks: BlockPredictor,
  valueAt: (answer: Readonly<Record<string, unknown>>) => T,
): void {
  for (const [index, row] of block.rows.entries()) {
    const out = new JsonBuffer(1024);
    blocks.writeJson(out, row, index);
    writer.add(valueAt(JSON.parse(Buffer.from(out.end()).toString())));
  }
}
