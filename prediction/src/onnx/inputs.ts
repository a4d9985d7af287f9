import { type ModelBase, maskBin } from '../model/model.js';
import type { ColumnSummary } from '../table/column-profile.js';
import { MissingWords } from '../table/missing-words.js';
import { createEncoder, type Encoder, MISSING_BIN } from '../trees/binning/bin-mapper.js';
import type { DatePart } from '../trees/binning/date-parts.js';
import type { Steps } from '../trees/steps.js';
import { DOUBLE, type GraphBuilder, OWN_NAMES, Tensor, type Value } from './graph.js';
import type { TreeColumn } from './trees.js';

export interface GraphInputs {
  /** Rows × features, as the trees read them. */
  readonly matrix: Value;
  readonly columns: readonly TreeColumn[];
  /** Rows × 1: whether a row is partial; undefined, if none can be. */
  readonly isPartial: Value | undefined;
  /** The inputs of the columns, in the order of the model's. */
  readonly described: readonly InputColumn[];
}

/** A column as the metadata of the file describe it. */
export interface InputColumn {
  readonly name: string;
  /** The name of the graph's input: that of the column, unless the graph has another use for it. */
  readonly input: string;
  readonly kind: ColumnSummary['kind'];
  /** The unit that is left out of numbers; null, if there is none. */
  readonly unit: string | null;
}

/** Names of the graph beside those of columns: each has a fixed meaning. */
const RESERVED = ['confidence', 'value', 'lower', 'upper', 'level', 'class', 'probability', 'probabilities', 'set'];

/** The dimension of all inputs and outputs: the rows. */
export const ROWS = 'rows';

/** Adds an input for each column that the model learns from, and the matrix that its trees read. */
export function* addInputs(graph: GraphBuilder, model: ModelBase): Steps<GraphInputs> {
  const names = new InputNames();
  const inputs = new Map<number, { value: Value; described: InputColumn }>();
  for (const [index, summary] of model.columns.entries()) {
    if (!summary.used) continue;
    const { name, kind, reading } = summary;
    const input = names.choose(name);
    const value = graph.input(input, kind === 'category' ? 'string' : 'double', [ROWS]);
    const unit = reading?.kind === 'number' ? reading.unit : null;
    inputs.set(index, { value, described: { name, input, kind, unit } });
  }
  const columns: TreeColumn[] = [];
  const features: Value[] = [];
  const masks: { readonly feature: number; readonly code: number }[] = [];
  for (const [feature, described] of model.features.entries()) {
    const { column, part, cuts, statistic } = described;
    const summary = model.columns[column];
    const input = inputs.get(column)?.value;
    // A decoded model was checked for it, and a trained one has it by construction.
    if (!summary || !input) throw new RangeError(`The model has no column ${column}.`);
    const unfamiliar = model.partial_rows?.unfamiliar_bins[feature] ?? [];
    const encoder = createEncoder(summary, described);
    if (statistic) {
      // The bins are in order: bin b is the number b, and a missing value is NaN.
      const codes = textCodes(summary, encoder, (bin) => (bin === MISSING_BIN ? Number.NaN : bin));
      features.push(addCodes(graph, input, codes));
      columns.push({ kind: 'ordered', cuts: Array.from({ length: encoder.binCount - 2 }, (_, index) => index + 1.5) });
    } else if (summary.kind === 'category') {
      const mask = maskBin(unfamiliar);
      const codes = textCodes(summary, encoder, (bin) => 1 + (unfamiliar.includes(bin) ? mask : bin));
      features.push(addCodes(graph, input, codes));
      columns.push({ kind: 'category', binCount: encoder.binCount });
    } else {
      features.push(part === null ? input : addDatePart(graph, input, part));
      columns.push({ kind: 'ordered', cuts });
    }
    if (unfamiliar.length > 0) {
      const code = summary.kind === 'category' && !statistic ? maskBin(unfamiliar) + 1 : Number.NaN;
      masks.push({ feature, code });
    }
    yield;
  }
  const last = graph.longs([1]);
  const upright = features.map((value) => graph.add('Unsqueeze', [value, last]));
  const matrix = graph.add('Concat', upright, { axis: 1 });
  const described = [...inputs.values()].map((input) => input.described);
  return { matrix, columns, isPartial: addIsPartial(graph, matrix, masks), described };
}

/** Chooses the names of inputs. */
class InputNames {
  readonly #taken = new Set(RESERVED);

  choose(column: string): string {
    // A text of ONNX is UTF-8, which has no lone surrogates.
    let name = Buffer.from(column).toString();
    while (this.#taken.has(name) || name.startsWith(OWN_NAMES)) name = `column ${name}`;
    this.#taken.add(name);
    return name;
  }
}

interface TextCodes {
  readonly codeOf: ReadonlyMap<string, number>;
  /** The code of texts that are not in the map. */
  readonly others: number;
}

/** Words that are read alike in any letter case, beside those for missing values. */
const BOOLEANS = ['true', 'false'];

/** The most letters of a word that the graph knows in each letter case. */
const MAX_LETTERS = 6;

/** Returns the codes of the texts of a column by those of its bins. */
function textCodes(summary: ColumnSummary, encoder: Encoder, codeOf: (bin: number) => number): TextCodes {
  const others = codeOf(encoder.binOfOthers);
  const codes = new Map<string, number>();
  const { texts: words, numbers } = MissingWords.of(summary.missing_words);
  const texts = [...[...encoder.texts, '', ...numbers.values()], ...[...words, ...BOOLEANS].flatMap(listWritings)];
  for (const text of texts) {
    // Text that is not valid UTF-8 is not a key; its cell is one of the others.
    if (Buffer.from(text).toString() !== text) continue;
    const code = codeOf(encoder.bin(text));
    if (code !== others) codes.set(text, code);
  }
  return { codeOf: codes, others };
}

/** Returns the ways to write a word: a long one in small letters, in capitals, and with a capital at its beginning. */
function listWritings(word: string): string[] {
  const letters = word.toUpperCase() === word ? 0 : [...word].filter((one) => one.toUpperCase() !== one).length;
  return letters > MAX_LETTERS
    ? [word, word.toUpperCase(), word.slice(0, 1).toUpperCase() + word.slice(1)]
    : writings(word);
}

/** Returns a word in small and capital letters in all ways. */
function writings(word: string): string[] {
  const [first = '', ...rest] = word;
  const ends = rest.length > 0 ? writings(rest.join('')) : [''];
  const letters = new Set([first, first.toUpperCase()]);
  return [...letters].flatMap((letter) => ends.map((end) => letter + end));
}

function addCodes(graph: GraphBuilder, input: Value, { codeOf, others }: TextCodes): Value {
  // An encoder without keys is refused; this text has no code.
  const keys = codeOf.size > 0 ? [...codeOf.keys()] : [''];
  const values = codeOf.size > 0 ? [...codeOf.values()] : [others];
  const attributes = {
    keys_tensor: Tensor.strings(keys),
    values_tensor: Tensor.doubles(values),
    default_tensor: Tensor.doubles([others]),
  };
  return graph.add('LabelEncoder', [input], attributes, 'ai.onnx.ml');
}

function addIsPartial(
  graph: GraphBuilder,
  matrix: Value,
  masks: readonly { readonly feature: number; readonly code: number }[],
): Value | undefined {
  const find = (isMissing: boolean): Value[] => {
    const some = masks.filter(({ code }) => Number.isNaN(code) === isMissing);
    if (some.length === 0) return [];
    const features = graph.longs(some.map(({ feature }) => feature));
    const values = graph.add('Gather', [matrix, features], { axis: 1 });
    const codes = () => graph.tensor(Tensor.doubles(some.map(({ code }) => code)));
    const found = isMissing ? graph.add('IsNaN', [values]) : graph.add('Equal', [values, codes()]);
    return [graph.add('Cast', [found], { to: DOUBLE })];
  };
  const found = [...find(true), ...find(false)];
  if (found.length === 0) return undefined;
  const all = graph.add('Concat', found, { axis: 1 });
  const most = graph.add('ReduceMax', [all, graph.longs([1])], { keepdims: 1 });
  return graph.add('Greater', [most, 0]);
}

const DAY = 24 * 60 * 60 * 1000;

/**
 * Adds a part of a date in whole milliseconds since 1970, as `datePart` has it. Days are counted in years that begin
 * in March, in eras of 400 of them (Hinnant 2021, howardhinnant.github.io/date_algorithms.html, civil_from_days).
 */
function addDatePart(graph: GraphBuilder, time: Value, part: DatePart): Value {
  const plus = (one: Value, other: Value | number) => graph.add('Add', [one, other]);
  const minus = (one: Value, other: Value | number) => graph.add('Sub', [one, other]);
  const times = (one: Value, other: number) => graph.add('Mul', [one, other]);
  const over = (one: Value, other: number) => graph.add('Floor', [graph.add('Div', [one, other])]);
  const rest = (one: Value, other: number) => minus(one, times(over(one, other), other));
  if (part === 'hour') return over(rest(time, DAY), 60 * 60 * 1000);
  const days = over(time, DAY);
  if (part === 'day_of_week') return rest(plus(days, 4), 7);
  const dayOfEra = rest(plus(days, 719_468), 146_097);
  const leapDays = minus(over(dayOfEra, 1460), over(dayOfEra, 36_524));
  const yearOfEra = over(minus(minus(dayOfEra, leapDays), over(dayOfEra, 146_096)), 365);
  const daysBefore = minus(plus(times(yearOfEra, 365), over(yearOfEra, 4)), over(yearOfEra, 100));
  const dayOfYear = minus(dayOfEra, daysBefore);
  const month = over(plus(times(dayOfYear, 5), 2), 153);
  const inSameYear = (one: Value, other: Value) => graph.add('Where', [graph.add('Less', [month, 10]), one, other]);
  switch (part) {
    case 'month':
      return inSameYear(plus(month, 3), minus(month, 9));
    case 'day_of_month':
      return plus(minus(dayOfYear, over(plus(times(month, 153), 2), 5)), 1);
    case 'day_of_year': {
      const is = (value: Value, number: number) =>
        graph.add('Cast', [graph.add('Equal', [value, number])], { to: DOUBLE });
      const leap = plus(minus(is(rest(yearOfEra, 4), 0), is(rest(yearOfEra, 100), 0)), is(yearOfEra, 0));
      return inSameYear(plus(plus(dayOfYear, 60), leap), minus(dayOfYear, 305));
    }
  }
}
