import { readFileSync } from 'node:fs';
import { asRecord, parseJson } from '../../../contract/json-record.js';
import type { ScoredModel } from './model.js';
import { findSentType, type SentType } from './sent-columns.js';

/** A column that a file reads. */
export interface OnnxColumn {
  readonly name: string;
  readonly input: string;
  readonly kind: 'number' | 'date' | 'category';
}

/** A model in a file, as docs/models/onnx.md describes it. */
export interface OnnxFile extends ScoredModel {
  readonly bytes: Uint8Array;
  readonly inputs: readonly OnnxColumn[];
  /** The names of the classes; empty for a number. */
  readonly classes: readonly string[];
}

/** The field of ModelProto (onnx.proto) with a key and a value of the metadata. */
const METADATA = 14;

/**
 * Reads the facts of a model from its file.
 * @throws if the file cannot be read, or is not of this service
 */
export function readOnnxFile(path: string): OnnxFile {
  const bytes = readFileSync(path);
  const facts = readMetadata(bytes, path);
  const list = (key: string): unknown[] => {
    const value = parseJson(facts.get(key) ?? '');
    return Array.isArray(value) ? value : [];
  };
  const inputs = list('columns').map((column) => {
    const { name, input, kind } = asRecord(column);
    return { name: String(name), input: String(input), kind: kind === 'number' || kind === 'date' ? kind : 'category' };
  }) satisfies OnnxColumn[];
  const [name, target] = [facts.get('model'), facts.get('target')];
  if (name === undefined || target === undefined || inputs.length === 0) {
    throw new Error(`${path} is not a model of this service; GET …/models/NAME/onnx answers one`);
  }
  const kinds = new Map(inputs.map((input) => [input.name, input.kind]));
  return {
    name,
    target,
    version: Number(facts.get('version')),
    checksum: facts.get('checksum') ?? '',
    columns: [...kinds.keys()],
    sentType: (column, type) => onnxType(kinds.get(column) ?? 'category', type),
    bytes,
    inputs,
    classes: facts.get('task') === 'classification' ? list('classes').map(String) : [],
  };
}

const NUMBERS = /^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(.*)$/;

/** Returns how a column is handed to the graph: as a number, as milliseconds, or as a text. */
function onnxType(kind: OnnxColumn['kind'], type: string): SentType | undefined {
  const double = findSentType('HUGEINT');
  if (double === undefined) return undefined;
  if (kind === 'number') return NUMBERS.test(type) ? double : undefined;
  if (kind === 'date') {
    if (type === 'TIMESTAMP WITH TIME ZONE') return { ...double, sql: 'epoch_ms(?)::DOUBLE' };
    return /^(DATE|TIMESTAMP\w*)$/.test(type) ? { ...double, sql: 'epoch_ms(?::TIMESTAMP)::DOUBLE' } : undefined;
  }
  if (NUMBERS.test(type)) return double;
  return /^(VARCHAR|BOOLEAN|UUID|ENUM\(.*)$/.test(type) ? findSentType('UUID') : undefined;
}

/** Reads pairs of texts among the fields of the outermost message (protobuf.dev, "Encoding"). */
function readMetadata(bytes: Uint8Array, path: string): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  for (const [field, value] of readFields(bytes, path)) {
    if (field !== METADATA) continue;
    const entry = new Map([...readFields(value, path)].map(([key, text]) => [key, Buffer.from(text).toString()]));
    pairs.set(entry.get(1) ?? '', entry.get(2) ?? '');
  }
  return pairs;
}

/** Yields the fields of a message that have a length; those with a number are passed over. */
function* readFields(bytes: Uint8Array, path: string): Generator<[field: number, value: Uint8Array]> {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error(`${path} is not a whole ONNX file`);
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const length = varint();
    if (tag % 8 === 0) continue;
    if (tag % 8 !== 2 || at + length > bytes.length) throw new Error(`${path} is not a whole ONNX file`);
    yield [Math.floor(tag / 8), bytes.subarray(at, at + length)];
    at += length;
  }
}
