import { derivedColumns, ECHO_COLUMNS, setColumn } from '../../table/column-names.js';

/** A part of an answer row, with the text before it where it has some. */
export type AnswerPiece =
  | { readonly kind: 'literal'; readonly before: string }
  /** The value of a column, as JSON. */
  | { readonly kind: 'echo'; readonly before: string; readonly column: number }
  /** A number of the row. */
  | { readonly kind: 'number'; readonly before: string; readonly place: number }
  /** One of some texts, as the row's choices at a place say. */
  | { readonly kind: 'choice'; readonly place: number; readonly texts: readonly string[] }
  /** The value of a column, as JSON within a string of JSON. */
  | { readonly kind: 'escaped'; readonly column: number }
  /** Some of the texts, with commas between them: the row's choices are their number, then their indexes. */
  | { readonly kind: 'set'; readonly place: number; readonly texts: readonly string[] };

/** The parts of the answer rows of a model. */
export interface AnswerProgram {
  readonly pieces: readonly AnswerPiece[];
  /** The numbers of a row, and its choices. */
  readonly numberCount: number;
  readonly choiceCount: number;
}

/** The places of the numbers of a row with a predicted number. */
export const NUMBER = { value: 0, confidence: 1, min: 2, max: 3 } as const;

/** The places of the choices of a row with a predicted class; the set is last. */
export const CLASS_CHOICE = { anomaly: 0, likeliest: 1, set: 2 } as const;

/** The kinds of a row's value of the target, in the order of the texts of its choice. */
export const ANOMALY = { none: 0, inside: 1, outside: 2 } as const;
const ANOMALIES = ['null', 'false', 'true'] as const;

const key = (name: string) => `,${JSON.stringify(name)}:`;

/** The program of a model of numbers: the same text as `ResponseWriter` writes. */
export function numberProgram(inputs: readonly string[], target: string): AnswerProgram {
  const { confidence, min, max } = derivedColumns(target);
  const number = (before: string, name: keyof typeof NUMBER): AnswerPiece => {
    return { kind: 'number', before, place: NUMBER[name] };
  };
  const pieces: AnswerPiece[] = [
    ...echoes(inputs),
    number(first(inputs, target), 'value'),
    original(inputs, target),
    number(key(confidence), 'confidence'),
    number(key(min), 'min'),
    number(key(max), 'max'),
    explained(target, ''),
    number('', 'value'),
    number(CONFIDENCE, 'confidence'),
    TRUTH,
    { kind: 'escaped', column: inputs.length },
    number(',\\"confidence_lower_bound\\":', 'min'),
    number(',\\"confidence_upper_bound\\":', 'max'),
    { kind: 'literal', before: '}"' },
    ...closing(inputs),
  ];
  return { pieces, numberCount: 4, choiceCount: 1 };
}

/** The program of a model of classes: the same text as `ClassWriter` writes. */
export function classProgram(
  inputs: readonly string[],
  target: string,
  classes: readonly string[],
): AnswerProgram {
  const { confidence, min, max } = derivedColumns(target);
  const names = classes.map((name) => JSON.stringify(name));
  const likeliest = (texts: readonly string[]): AnswerPiece => {
    return { kind: 'choice', place: CLASS_CHOICE.likeliest, texts };
  };
  const pieces: AnswerPiece[] = [
    ...echoes(inputs),
    likeliest(names.map((name) => first(inputs, target) + name)),
    original(inputs, target),
    { kind: 'number', before: key(confidence), place: 0 },
    explained(target, `${key(min)}null${key(max)}null`),
    likeliest(names.map(escaped)),
    { kind: 'number', before: CONFIDENCE, place: 0 },
    TRUTH,
    { kind: 'escaped', column: inputs.length },
    ...classes.map((name, index): AnswerPiece => {
      const before = `,${escaped(JSON.stringify(`probability_class_${name}`))}:`;
      return { kind: 'number', before, place: index + 1 };
    }),
    { kind: 'literal', before: `}"${key(setColumn(target))}[` },
    { kind: 'set', place: CLASS_CHOICE.set, texts: names },
    { kind: 'literal', before: ']' },
    ...closing(inputs),
  ];
  const choiceCount = CLASS_CHOICE.set + 1 + classes.length;
  return { pieces, numberCount: 1 + classes.length, choiceCount };
}

const CONFIDENCE = ',\\"confidence\\":';

const TRUTH: AnswerPiece = {
  kind: 'choice',
  place: CLASS_CHOICE.anomaly,
  texts: ANOMALIES.map((is) => `,\\"anomaly\\":${is},\\"truth\\":`),
};

function echoes(inputs: readonly string[]): AnswerPiece[] {
  return inputs.map((name, column) => {
    const before = column === 0 ? `{${key(name).slice(1)}` : key(name);
    return { kind: 'echo', before, column };
  });
}

/** The key of the target, which is the first where there are no inputs. */
function first({ length }: readonly string[], target: string): string {
  return length === 0 ? `{${key(target).slice(1)}` : key(target);
}

function original({ length }: readonly string[], target: string): AnswerPiece {
  return { kind: 'echo', before: key(derivedColumns(target).original), column: length };
}

/** @param bounds what stands before the anomaly */
function explained(target: string, bounds: string): AnswerPiece {
  const { anomaly, explain } = derivedColumns(target);
  const texts = ANOMALIES.map(
    (is) => `${bounds}${key(anomaly)}${is}${key(explain)}"{\\"predicted_value\\":`,
  );
  return { kind: 'choice', place: CLASS_CHOICE.anomaly, texts };
}

function closing({ length }: readonly string[]): AnswerPiece[] {
  const columns = ECHO_COLUMNS.map((name, index): AnswerPiece => {
    return { kind: 'echo', before: key(name), column: length + 1 + index };
  });
  return [...columns, { kind: 'literal', before: '}' }];
}

/** The text of a JSON string that holds JSON, without its quotes. */
function escaped(json: string): string {
  return JSON.stringify(json).slice(1, -1);
}
