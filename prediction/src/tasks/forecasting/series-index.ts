import { Cell, nameText, type TextReader, textReader, wholeName } from '../../table/cells.js';
import type { ColumnSummary } from '../../table/column-profile.js';
import { createCellReader, createReader } from '../../table/reading/create-reader.js';
import type { MethodFacts } from './method.js';
import type { SeriesModel } from './series-model.js';

/** A model without its forests. */
export interface SeriesFacts extends Omit<SeriesModel, 'method'> {
  readonly method: MethodFacts;
}

/** Reads a column that is used beside the target. */
interface CovariateReader {
  readonly cell: Cell;
  readonly isKnown: boolean;
  readonly isMissing: (cell: unknown) => boolean;
  readonly read: (cell: unknown) => number;
}

/** Reads the columns of rows as the series of a model have them. */
export class SeriesIndex {
  readonly covariates: readonly CovariateReader[];
  readonly order: Cell;
  readonly groups: readonly Cell[];
  /** By group column, whether every series has a value in it. */
  readonly areNamed: readonly boolean[];
  readonly target: Cell;
  /** Return the text of a cell, and '' for a missing value. */
  readonly targetText: TextReader;
  readonly orderText: TextReader;
  readonly readTarget: (text: string) => number;

  constructor(readonly model: SeriesFacts) {
    this.order = new Cell(model.order_by);
    this.groups = model.group_by.map((name) => new Cell(name));
    this.areNamed = model.group_by.map((_, column) => model.series.groups.isNamed(column));
    this.target = new Cell(model.target);
    this.targetText = textReader(model.missing_words?.target);
    this.orderText = textReader(model.columns[0]?.missing_words);
    this.readTarget = createReader('number', model.target_reading);
    this.covariates = model.columns
      .slice(1 + model.group_by.length)
      .filter(({ used }) => used)
      .map((column) => ({
        cell: new Cell(column.name),
        isKnown: model.known.includes(column.name),
        isMissing: isMissing(textReader(column.missing_words)),
        read: covariateReader(column),
      }));
  }

  /** Returns the value of a group column in a row, as the series of the model have it. */
  groupText(column: number, cell: unknown): string {
    const text = nameText(cell);
    const { missing_words: words, series } = this.model;
    // Models of earlier releases, which list no words, and those of their tables may distinguish 1 and 1.0.
    return words === undefined || series.groups.hasText(column, text) ? text : wholeName(text);
  }
}

function isMissing(readText: TextReader): (cell: unknown) => boolean {
  return (cell) => readText(cell) === '';
}

function covariateReader({
  kind,
  reading,
  categories,
  missing_words: words,
}: ColumnSummary): (cell: unknown) => number {
  if (kind === 'number') {
    const read = createCellReader('number', reading, words);
    return (cell) => {
      const value = read(cell);
      return Number.isFinite(value) ? value : Number.NaN;
    };
  }
  const indexOf = new Map(categories?.map((text, index) => [text, index]));
  const readText = textReader(words);
  return (cell) => indexOf.get(readText(cell)) ?? Number.NaN;
}
