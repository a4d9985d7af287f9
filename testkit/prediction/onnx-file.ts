/** Reads the parts of an ONNX file that tests look at, by the numbers of their fields. */

/** A message of Protocol Buffers: by field, its values in their order. */
class ReadMessage {
  readonly #fields = new Map<number, (Uint8Array | number)[]>();

  constructor(bytes: Uint8Array) {
    let at = 0;
    const varint = (): number => {
      let value = 0;
      for (let scale = 1; ; scale *= 128) {
        const byte = bytes[at++];
        if (byte === undefined) throw new RangeError('The message ends within a number.');
        value += (byte & 127) * scale;
        if (byte < 128) return value;
      }
    };
    while (at < bytes.length) {
      const tag = varint();
      const field = Math.floor(tag / 8);
      const values = this.#fields.get(field) ?? [];
      this.#fields.set(field, values);
      if (tag % 8 === 0) {
        values.push(varint());
        continue;
      }
      if (tag % 8 !== 2) throw new RangeError(`Field ${field} is of an unknown kind.`);
      const length = varint();
      if (at + length > bytes.length) throw new RangeError(`Field ${field} is longer than all.`);
      values.push(bytes.subarray(at, at + length));
      at += length;
    }
  }

  messages(field: number): ReadMessage[] {
    return this.#bytes(field).map((bytes) => new ReadMessage(bytes));
  }

  texts(field: number): string[] {
    return this.#bytes(field).map((bytes) => Buffer.from(bytes).toString());
  }

  text(field: number): string {
    return this.texts(field)[0] ?? '';
  }

  #bytes(field: number): Uint8Array[] {
    return (this.#fields.get(field) ?? []).filter((value) => value instanceof Uint8Array);
  }
}

/** The names and metadata of an ONNX file. */
export interface OnnxFile {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly initializers: readonly string[];
  /** In the order of the graph. */
  readonly nodes: readonly {
    readonly operator: string;
    readonly inputs: readonly string[];
    readonly outputs: readonly string[];
  }[];
  readonly metadata: ReadonlyMap<string, string>;
}

export function readOnnx(bytes: Uint8Array): OnnxFile {
  const model = new ReadMessage(bytes);
  const [graph] = model.messages(7);
  if (!graph) throw new RangeError('The file has no graph.');
  const names = (field: number, at: number) => graph.messages(field).map((one) => one.text(at));
  return {
    inputs: names(11, 1),
    outputs: names(12, 1),
    initializers: names(5, 8),
    nodes: graph.messages(1).map((node) => ({ operator: node.text(4), inputs: node.texts(1), outputs: node.texts(2) })),
    metadata: new Map(model.messages(14).map((entry) => [entry.text(1), entry.text(2)])),
  };
}
