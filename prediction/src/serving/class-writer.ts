import type { SetChooser } from '../classes/prediction-sets.js';
import type { ClassificationModel } from '../model/class-model.js';
import { Cell, valuesOf } from '../table/cells.js';
import { derivedColumns, setColumn } from '../table/column-names.js';
import { type JsonBuffer, type Literal, literal } from './json-buffer.js';
import { ClassReader, type PredictedClasses } from './predicted-classes.js';
import { type ByAnomaly, byAnomaly, ofAnomaly, type RowFrame, writeValue } from './row-frame.js';

/** A class as answers tell it. */
interface ClassText {
  /** Its name as a JSON string, and the same within a JSON string. */
  readonly name: Literal;
  readonly escaped: Literal;
  /** The key of its probability, within a JSON string, with what comes before and behind. */
  readonly key: Literal;
}

/** Writes the answer rows of a classifier as JSON: see `ResponseWriter`. */
export class ClassWriter {
  readonly #target: Cell;
  readonly #reader: ClassReader;
  readonly #frame: RowFrame;
  readonly #classes: readonly ClassText[];
  readonly #value: Literal;
  readonly #original: Literal;
  readonly #confidence: Literal;
  /** From behind the confidence to the predicted value of the explanation. */
  readonly #explained: ByAnomaly;
  readonly #explainedConfidence = literal(',\\"confidence\\":');
  readonly #truth: ByAnomaly = byAnomaly((is) => `,\\"anomaly\\":${is},\\"truth\\":`);
  readonly #set: Literal;

  constructor({ columns, target, classes }: ClassificationModel, frame: RowFrame) {
    const { original, confidence, min, max, anomaly, explain } = derivedColumns(target);
    const key = (name: string) => `,${JSON.stringify(name)}:`;
    this.#target = new Cell(target);
    this.#reader = new ClassReader(classes);
    this.#frame = frame;
    this.#classes = classes.map(({ name }) => ({
      name: literal(JSON.stringify(name)),
      escaped: literal(escapeJson(JSON.stringify(name))),
      key: literal(`,${escapeJson(JSON.stringify(`probability_class_${name}`))}:`),
    }));
    this.#value = literal(`${columns.length === 0 ? '{' : ','}${JSON.stringify(target)}:`);
    this.#original = literal(key(original));
    this.#confidence = literal(key(confidence));
    const bounds = `${key(min)}null${key(max)}null`;
    this.#explained = byAnomaly(
      (is) => `${bounds}${key(anomaly)}${is}${key(explain)}"{\\"predicted_value\\":`,
    );
    this.#set = literal(`}"${key(setColumn(target))}[`);
  }

  /** Writes one row and what is predicted of it. */
  row(
    out: JsonBuffer,
    sent: unknown,
    predicted: PredictedClasses,
    index: number,
    chooser: SetChooser,
  ): void {
    const row = valuesOf(sent);
    this.#frame.open(out, row);
    const original = this.#target.of(row);
    const likeliest = predicted.likeliest(index);
    const anomaly = predicted.anomaly(index, this.#reader.of(original), likeliest, chooser);
    const answer = this.#classes[likeliest];

    out.literal(this.#value);
    out.literal(answer?.name ?? NULL);
    out.literal(this.#original);
    writeValue(out, original);
    out.literal(this.#confidence);
    out.number(predicted.told(index, likeliest));

    out.literal(ofAnomaly(this.#explained, anomaly));
    out.literal(answer?.escaped ?? NULL);
    out.literal(this.#explainedConfidence);
    out.number(predicted.told(index, likeliest));
    out.literal(ofAnomaly(this.#truth, anomaly));
    if (typeof original === 'number' || original === null) writeValue(out, original);
    else out.json(escapeJson(JSON.stringify(original)));
    for (const [each, { key }] of this.#classes.entries()) {
      out.literal(key);
      out.number(predicted.told(index, each));
    }

    out.literal(this.#set);
    for (const [place, member] of predicted.set(index, likeliest, chooser).entries()) {
      if (place > 0) out.literal(COMMA);
      out.literal(this.#classes[member]?.name ?? NULL);
    }
    out.literal(CLOSE_SET);
    this.#frame.close(out, row);
  }
}

const NULL = literal('null');
const COMMA = literal(',');
const CLOSE_SET = literal(']');

/** The text of a JSON string that holds JSON, without its quotes. */
function escapeJson(json: string): string {
  return JSON.stringify(json).slice(1, -1);
}
