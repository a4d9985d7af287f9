import { FormatFault, within } from '../columns/format-fault.js';
import { TextCodes } from '../columns/text-codes.js';
import type { Vector } from '../columns/vector.js';
import { ByteSource } from './byte-source.js';
import { SLICE_ROWS, valuesOf, vectorOf } from './column-vector.js';
import { Dictionary } from './dictionary.js';
import { type Message, readMessages } from './messages.js';
import { type RawBatch, type RawColumn, readColumns, rowCountOf } from './raw-column.js';
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

/** The bytes of all dictionaries that are held at once. */
const MAX_DICTIONARY_BYTES = 128 * 1024 * 1024;

/**
 * Reads an Arrow stream or file as it arrives.
 *
 * @param choose is given the fields, and returns the places of those that are wanted.
 * @throws {FormatFault} at the first fault of the bytes.
 * @throws the error of the source.
 */
export async function* readArrow(
  source: AsyncIterable<Uint8Array>,
  format: 'stream' | 'file',
  choose: (fields: readonly Field[]) => ReadonlySet<number>,
): AsyncGenerator<ArrowSlice> {
  const bytes = new ByteSource(source);
  try {
    let batches: ArrowBatches | undefined;
    for await (const message of readMessages(bytes, format)) {
      if (message.kind === 'schema') {
        if (batches)
          throw new FormatFault(
            `Message ${message.number} is a second schema. Send each table by itself.`,
          );
        const fields = within('The schema', () => readSchema(message.header));
        batches = new ArrowBatches(fields, choose(fields));
      } else if (message.kind === 'dictionary') batches?.addDictionary(message);
      else if (batches) yield* batches.slices(message);
    }
  } finally {
    await bytes.close();
  }
}

class ArrowBatches {
  readonly #fields: readonly Field[];
  readonly #wanted: ReadonlySet<number>;
  readonly #fieldOf = new Map<number, Field>();
  readonly #dictionaries = new Map<number, Dictionary>();
  readonly #texts = new Map<number, TextCodes>();
  #batches = 0;

  constructor(fields: readonly Field[], wanted: ReadonlySet<number>) {
    this.#fields = fields;
    this.#wanted = wanted;
    for (const place of wanted) {
      const field = fields[place];
      if (field?.dictionary) this.#fieldOf.set(field.dictionary.id, field);
    }
  }

  addDictionary({ number, header, version, body }: Message): void {
    const place = `The dictionary of message ${number}`;
    within(place, () => {
      const id = header.int64(0);
      const field = this.#fieldOf.get(id);
      const data = header.table(1);
      // Dictionaries of columns that nobody reads are left alone.
      if (field === undefined || data === undefined) return;
      const isDelta = header.bool(2);
      const known = isDelta ? this.#dictionaries.get(id) : undefined;
      const dictionary = known ?? new Dictionary(valuesOf);
      this.#dictionaries.set(id, dictionary);
      const values = { ...field, dictionary: null };
      const batch: RawBatch = { place, header: data, version, body };
      const [chunk] = readColumns(
        batch,
        [values],
        () => true,
        () => null,
      );
      if (chunk) dictionary.add(chunk, body.length);
    });
    const held = [...this.#dictionaries.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    if (held > MAX_DICTIONARY_BYTES) {
      throw new FormatFault(
        `The dictionaries take more than ${MAX_DICTIONARY_BYTES} bytes. Send these columns as text.`,
      );
    }
  }

  *slices({ header, version, body }: Message): Generator<ArrowSlice> {
    const place = `Batch ${++this.#batches}`;
    const batch: RawBatch = { place, header, version, body };
    const { rows, columns } = within(place, () => ({
      rows: rowCountOf(batch),
      columns: readColumns(
        batch,
        this.#fields,
        (index) => this.#wanted.has(index),
        (field) => this.#dictionaryOf(field, place),
      ),
    }));
    for (let start = 0; start < rows; start += SLICE_ROWS) {
      const end = Math.min(start + SLICE_ROWS, rows);
      const vectors = within(place, () => this.#vectors(columns, start, end));
      yield { length: end - start, vectors, columns, start };
    }
  }

  #vectors(columns: readonly (RawColumn | undefined)[], start: number, end: number) {
    const vectors = new Map<number, Vector>();
    for (const [place, column] of columns.entries()) {
      if (column === undefined) continue;
      vectors.set(
        place,
        vectorOf(column, start, end, () => this.#textsOf(place)),
      );
    }
    return vectors;
  }

  #dictionaryOf({ name, dictionary }: Field, place: string): Dictionary | null {
    if (dictionary === null) return null;
    const known = this.#dictionaries.get(dictionary.id);
    if (known) return known;
    throw new FormatFault(
      `${place} comes before the dictionary of its column ${JSON.stringify(name.slice(0, 60))}. Write the dictionary first.`,
    );
  }

  #textsOf(place: number): TextCodes {
    const known = this.#texts.get(place) ?? new TextCodes();
    this.#texts.set(place, known);
    return known;
  }
}
