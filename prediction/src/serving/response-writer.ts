import type { RegressionModel } from '../model/model.js';
import { Cell, valuesOf } from '../table/cells.js';
import { derivedColumns } from '../table/column-names.js';
import { type JsonBuffer, type Literal, literal } from './json-buffer.js';
import { type ByAnomaly, byAnomaly, ofAnomaly, type RowFrame, writeValue } from './row-frame.js';
import { actualValue, type PredictedRows } from './row-predictor.js';

/** The text between the values of a row. */
interface Parts {
  readonly value: Literal;
  readonly original: Literal;
  readonly confidence: Literal;
  readonly min: Literal;
  readonly max: Literal;
  /** From the anomaly to the first number of the explanation. */
  readonly explained: ByAnomaly;
  readonly explainedConfidence: Literal;
  /** From the explained anomaly to the truth. */
  readonly truth: ByAnomaly;
  readonly lowerBound: Literal;
  readonly upperBound: Literal;
  readonly end: Literal;
}

/**
 * Writes answer rows as JSON. All that does not differ from row to row is known with the model, and
 * made ready then; no object is made for a row. As text keeps the order that it is written in, names
 * like "2019" stay in their place, where an object would put them first.
 */
export class ResponseWriter {
  readonly #target: Cell;
  readonly #frame: RowFrame;
  readonly #parts: Parts;
  readonly #confidences = confidenceLiterals();

  constructor({ columns, target }: RegressionModel, frame: RowFrame) {
    this.#target = new Cell(target);
    this.#frame = frame;
    this.#parts = partsOf(target, columns.length === 0);
  }

  /** Writes one row and what is predicted of it. */
  row(out: JsonBuffer, sent: unknown, predicted: PredictedRows, index: number): void {
    const parts = this.#parts;
    const row = valuesOf(sent);
    this.#frame.open(out, row);
    const original = this.#target.of(row);
    const anomaly = predicted.anomaly(index, actualValue(original, predicted.readActual));

    out.literal(parts.value);
    const value = out.length;
    out.number(predicted.values[index] ?? 0);
    const valueEnd = out.length;
    out.literal(parts.original);
    const truth = out.length;
    writeValue(out, original);
    const truthEnd = out.length;
    out.literal(parts.confidence);
    const confidence = out.length;
    this.#confidence(out, predicted.confidences[index] ?? 0);
    const confidenceEnd = out.length;
    out.literal(parts.min);
    const min = out.length;
    out.number(predicted.mins[index] ?? 0);
    const minEnd = out.length;
    out.literal(parts.max);
    const max = out.length;
    out.number(predicted.maxs[index] ?? 0);
    const maxEnd = out.length;

    out.literal(ofAnomaly(parts.explained, anomaly));
    out.again(value, valueEnd);
    out.literal(parts.explainedConfidence);
    out.again(confidence, confidenceEnd);
    out.literal(ofAnomaly(parts.truth, anomaly));
    if (typeof original === 'number' || original === null) out.again(truth, truthEnd);
    else out.json(JSON.stringify(JSON.stringify(original)).slice(1, -1));
    out.literal(parts.lowerBound);
    out.again(min, minEnd);
    out.literal(parts.upperBound);
    out.again(max, maxEnd);
    out.literal(parts.end);

    this.#frame.close(out, row);
  }

  /** Levels are hundredths, unless another one was asked for. */
  #confidence(out: JsonBuffer, level: number): void {
    const hundredths = Math.round(100 * level);
    const known = hundredths / 100 === level ? this.#confidences[hundredths] : undefined;
    if (known) out.literal(known);
    else out.number(level);
  }
}

function confidenceLiterals(): Literal[] {
  return Array.from({ length: 101 }, (_, hundredths) => literal(String(hundredths / 100)));
}

function partsOf(target: string, isFirst: boolean): Parts {
  const { original, confidence, min, max, anomaly, explain } = derivedColumns(target);
  const key = (name: string) => `,${JSON.stringify(name)}:`;
  return {
    value: literal(`${isFirst ? '{' : ','}${JSON.stringify(target)}:`),
    original: literal(key(original)),
    confidence: literal(key(confidence)),
    min: literal(key(min)),
    max: literal(key(max)),
    explained: byAnomaly((is) => `${key(anomaly)}${is}${key(explain)}"{\\"predicted_value\\":`),
    explainedConfidence: literal(',\\"confidence\\":'),
    truth: byAnomaly((is) => `,\\"anomaly\\":${is},\\"truth\\":`),
    lowerBound: literal(',\\"confidence_lower_bound\\":'),
    upperBound: literal(',\\"confidence_upper_bound\\":'),
    end: literal('}"'),
  };
}
