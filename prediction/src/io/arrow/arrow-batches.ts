import type { OrderedSink } from '../../table/row-reader.js';
import { quote } from '../../table/table-error.js';
import { addBatches } from '../columns/add-batches.js';
import { ByteBudget, type HeldBytes } from '../columns/byte-budget.js';
import { cutRows, windowRows } from '../columns/cut-rows.js';
import { FormatError, withContext } from '../columns/format-error.js';
import { TEXT_CODES_BYTES, TextCodes } from '../columns/text-codes.js';
import { sliceVectors, type Vector } from '../columns/vector.js';
import { BatchBuffers } from './batch-buffers.js';
import { readValues, readVector } from './column-vector.js';
import type { FlatTable } from './flat-buffers.js';
import { ByteSource, type Message, readMessages } from './messages.js';
import { countRows, Dictionary, type RawBatch, type RawColumn, readColumns } from './raw-column.js';
import { type Field, readSchema } from './schema.js';

/** Rows of a batch, as many as are read at a time. */
export interface ArrowSlice {
  readonly length: number;
  /** By the place of the column in the schema. */
  readonly vectors: ReadonlyMap<number, Vector>;
  /** The columns of the whole batch as they were sent, and the first row of the slice in them. */
  readonly columns: readonly (RawColumn | undefined)[];
  readonly start: number;
}

/** About what a part of a dictionary takes, and each of its values with its text. */
const DICTIONARY_BYTES = 2048;
const ENTRY_BYTES = 40;

/** The bytes of the findings about an entry that each column with the dictionary keeps (`Entries.findings`). */
const FINDING_BYTES = 8;

/** About what a buffer of a batch takes, besides its bytes. */
const BUFFER_BYTES = 256;

/** The bytes that a cell takes at most while its rows are used: its code, and where its text begins and ends. */
const VECTOR_BYTES = 24;

/**
 * Reads an Arrow stream or file as it arrives.
 *
 * @param budget limits what is held, and what the rows become.
 * @param choose is given the names of the columns, and returns the places of those that are wanted.
 * @throws {FormatError} at the first fault of the bytes.
 * @throws the error of the source.
 */
export async function* readArrow(
  source: AsyncIterable<Uint8Array>,
  format: 'stream' | 'file',
  budget: ByteBudget,
  choose: (names: readonly string[]) => ReadonlySet<number>,
): AsyncGenerator<ArrowSlice> {
  const bytes = new ByteSource(source, budget);
  try {
    let batches: ArrowBatches | undefined;
    for await (const message of readMessages(bytes, format, budget)) {
      if (message.kind === 'schema') {
        if (batches) throw new FormatError(`Message ${message.number} is a second schema. Send each table by itself.`);
        const fields = withContext('The schema', () => readSchema(message.header));
        const wanted = choose(fields.map(({ name }) => name));
        batches = new ArrowBatches(fields, wanted, budget);
      } else if (message.kind === 'dictionary') {
        // A dictionary stays until another takes its place.
        if (batches?.addDictionary(message)) continue;
      } else if (batches) yield* batches.slices(message);
      message.held.releaseAll();
    }
  } finally {
    await bytes.close();
  }
}

class ArrowBatches {
  readonly #fields: readonly Field[];
  readonly #wanted: ReadonlySet<number>;
  /** The columns that are wanted, by the id of their dictionary. */
  readonly #fieldsOf = new Map<number, readonly Field[]>();
  readonly #dictionaries = new Map<number, Dictionary>();
  readonly #texts = new Map<number, TextCodes>();
  readonly #budget: ByteBudget;
  readonly #knownTexts: HeldBytes;
  #batches = 0;

  constructor(fields: readonly Field[], wanted: ReadonlySet<number>, budget: ByteBudget) {
    this.#fields = fields;
    this.#wanted = wanted;
    this.#budget = budget;
    this.#knownTexts = budget.hold('The texts of the columns');
    for (const place of wanted) {
      const field = fields[place];
      if (!field?.dictionary) continue;
      const { id } = field.dictionary;
      this.#fieldsOf.set(id, [...(this.#fieldsOf.get(id) ?? []), field]);
    }
  }

  /** Returns whether the dictionary is kept. */
  addDictionary(message: Message): boolean {
    const { number, header, held } = message;
    const place = `The dictionary of message ${number}`;
    return withContext(place, () => {
      const id = header.int64(0);
      const fields = this.#fieldsOf.get(id) ?? [];
      const [field] = fields;
      const data = header.table(1);
      // Dictionaries of columns that nobody reads are left alone.
      if (field === undefined || data === undefined) return false;
      const before = this.#dictionaries.get(id);
      const known = header.bool(2) ? before : undefined;
      if (known === undefined) before?.release();
      const dictionary = known ?? new Dictionary();
      this.#dictionaries.set(id, dictionary);
      const values = { ...field, dictionary: null };
      held.add(DICTIONARY_BYTES);
      const batch = this.#batch(message, data, place);
      // Texts are kept as bytes, and as strings, which may take twice as many.
      const entryBytes = ENTRY_BYTES + FINDING_BYTES * fields.length;
      held.add(2 * batch.buffers.byteLength + entryBytes * countRows(batch));
      const [chunk] = readColumns(
        batch,
        [values],
        () => true,
        () => null,
      );
      if (chunk) dictionary.add(chunk, readValues(chunk), held);
      return chunk !== undefined;
    });
  }

  *slices(message: Message): Generator<ArrowSlice> {
    const { header, held } = message;
    const place = `Batch ${++this.#batches}`;
    const { rows, columns } = withContext(place, () => {
      const batch = this.#batch(message, header, place);
      const rows = countRows(batch);
      const columns = readColumns(
        batch,
        this.#fields,
        (index) => this.#wanted.has(index),
        (field) => this.#findDictionary(field, place),
      );
      return { rows, columns };
    });
    const step = windowRows(this.#wanted.size);
    const nameOf = (column: number) => this.#fields[column]?.name ?? '';
    held.add(VECTOR_BYTES * Math.min(step, rows) * this.#wanted.size);
    for (let start = 0; start < rows; start += step) {
      const length = Math.min(step, rows - start);
      const vectors = withContext(place, () => this.#vectors(columns, start, start + length));
      const first = start + 1;
      for (const { from, to } of cutRows(vectors, length, this.#budget, { place, first, nameOf })) {
        yield { length: to - from, vectors: sliceVectors(vectors, from, to), columns, start: start + from };
      }
    }
  }

  #batch(message: Message, header: FlatTable, place: string): RawBatch {
    message.held.add(BUFFER_BYTES * header.count(2));
    const buffers = new BatchBuffers(header, message, place, this.#budget);
    return { place, header, version: message.version, buffers };
  }

  #vectors(columns: readonly (RawColumn | undefined)[], start: number, end: number) {
    const vectors = new Map<number, Vector>();
    for (const [place, column] of columns.entries()) {
      if (column === undefined) continue;
      vectors.set(
        place,
        readVector(column, start, end, () => this.#findTexts(place)),
      );
    }
    return vectors;
  }

  #findDictionary({ name, dictionary }: Field, place: string): Dictionary | null {
    if (dictionary === null) return null;
    const known = this.#dictionaries.get(dictionary.id);
    if (known) return known;
    throw new FormatError(
      `${place} comes before the dictionary of its column ${quote(name)}. Write the dictionary first.`,
    );
  }

  #findTexts(place: number): TextCodes {
    const known = this.#texts.get(place);
    if (known) return known;
    this.#knownTexts.add(TEXT_CODES_BYTES);
    const codes = new TextCodes();
    this.#texts.set(place, codes);
    return codes;
  }
}

/**
 * Adds the rows of an Arrow IPC stream or file, batch by batch, until no more are wanted.
 *
 * @throws {FormatError | TableError} at a fault of the body.
 */
export function addArrow(
  pieces: AsyncIterable<Uint8Array>,
  rows: OrderedSink,
  format: 'stream' | 'file',
): Promise<void> {
  const batches = readArrow(pieces, format, new ByteBudget(), (names) => {
    rows.begin(names);
    return new Set(names.keys());
  });
  return addBatches(rows, batches);
}
