import { derivedColumns, ECHO_COLUMNS } from './answer-columns.js';
import { jsonText } from './json-text.js';
import type { Model } from './model.js';
import type { Prediction } from './prediction.js';
import { ownValue } from './row-object.js';

/** A column that repeats what a row sent: its name, and the text `"name":` that opens it. */
interface Echo {
  name: string;
  key: string;
}

/**
 * Writes answer rows as JSON text. The columns are known with the model, so their names are
 * quoted once; and text keeps their order, where an object would put names like "2019" first.
 */
export class AnswerWriter {
  readonly #inputs: readonly Echo[];
  readonly #closing: readonly Echo[];
  readonly #keys: Readonly<Record<'target' | keyof ReturnType<typeof derivedColumns>, string>>;

  constructor(model: Model) {
    const { original, confidence, min, max, anomaly, explain } = derivedColumns(model.target);
    this.#inputs = model.columns.map(({ name }) => ({ name, key: `${JSON.stringify(name)}:` }));
    this.#closing = ECHO_COLUMNS.map((name) => ({ name, key: `,${JSON.stringify(name)}:` }));
    const key = (name: string) => `,${JSON.stringify(name)}:`;
    this.#keys = {
      target: `${JSON.stringify(model.target)}:`,
      original: key(original),
      confidence: key(confidence),
      min: key(min),
      max: key(max),
      anomaly: key(anomaly),
      explain: key(explain),
    };
  }

  row(row: unknown, { value, confidence, min, max, original, anomaly }: Prediction): string {
    const keys = this.#keys;
    let text = '{';
    for (const { name, key } of this.#inputs) text += `${key}${jsonText(ownValue(row, name))},`;
    const truth = jsonText(original);
    text += `${keys.target}${value}${keys.original}${truth}${keys.confidence}${confidence}`;
    text += `${keys.min}${min}${keys.max}${max}${keys.anomaly}${anomaly}`;
    const quoted = typeof original === 'number' ? truth : JSON.stringify(truth).slice(1, -1);
    text += `${keys.explain}"{\\"predicted_value\\":${value},\\"confidence\\":${confidence}`;
    text += `,\\"anomaly\\":${anomaly},\\"truth\\":${quoted}`;
    text += `,\\"confidence_lower_bound\\":${min},\\"confidence_upper_bound\\":${max}}"`;
    for (const { name, key } of this.#closing) text += `${key}${jsonText(ownValue(row, name))}`;
    return `${text}}`;
  }
}
