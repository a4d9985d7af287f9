import { Message } from './protobuf.js';

/*
 * The numbers of fields, types and versions are those of onnx/onnx.proto of ONNX 1.16 (IR version 10), which has
 * ai.onnx 21 and ai.onnx.ml 5: https://github.com/onnx/onnx/blob/v1.16.0/onnx/onnx.proto
 */
const IR_VERSION = 10;
const OPSETS = { '': 21, 'ai.onnx.ml': 5 } as const;

/** `TensorProto.DataType`. */
const TYPE = { uint8: 2, int64: 7, string: 8, bool: 9, double: 11 } as const;
export const { double: DOUBLE, int64: LONG } = TYPE;
type ElementType = keyof typeof TYPE;

/** `AttributeProto.AttributeType`. */
const ATTRIBUTE = { int: 2, string: 3, tensor: 4, ints: 7, strings: 8 } as const;

/** The name of a value in the graph. */
export type Value = string;

/** A value, or a number that is a constant of the graph. */
export type Operand = Value | number;

/** Values of a tensor in one place of memory, and their shape. */
export class Tensor {
  constructor(
    readonly type: ElementType,
    readonly shape: readonly number[],
    readonly data: Uint8Array | readonly string[],
  ) {}

  static doubles(values: ArrayLike<number>, shape: readonly number[] = [values.length]): Tensor {
    return new Tensor('double', shape, viewBytes(Float64Array.from(values)));
  }

  static longs(values: ArrayLike<number>): Tensor {
    const longs = BigInt64Array.from({ length: values.length }, (_, at) => BigInt(values[at] ?? 0));
    return new Tensor('int64', [values.length], viewBytes(longs));
  }

  static bytes(values: ArrayLike<number>): Tensor {
    return new Tensor('uint8', [values.length], Uint8Array.from(values));
  }

  static strings(values: readonly string[]): Tensor {
    return new Tensor('string', [values.length], values);
  }

  write(name = ''): Message {
    const message = new Message().ints(1, this.shape).int(2, TYPE[this.type]);
    if (name !== '') message.text(8, name);
    if (this.data instanceof Uint8Array) return message.bytes(9, this.data);
    for (const text of this.data) message.text(6, text);
    return message;
  }
}

/** Little-endian, as ONNX has them, and all machines that run Node.js. */
function viewBytes({ buffer, byteOffset, byteLength }: NodeJS.TypedArray): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** An attribute of a node: a whole number, a text, a tensor, or whole numbers. */
export type Attribute = number | string | Tensor | ArrayLike<number>;

/** Builds a graph, node by node. Its own names begin with `roster/`. */
export class GraphBuilder {
  readonly #nodes: Message[] = [];
  readonly #initializers: Message[] = [];
  readonly #inputs: Message[] = [];
  readonly #outputs: Message[] = [];
  readonly #constants = new Map<number, Value>();
  #count = 0;

  /** Declares an input of the graph. A dimension that is a text is named, and of any size. */
  input(name: string, type: ElementType, shape: readonly (number | string)[]): Value {
    this.#inputs.push(declare(name, type, shape));
    return name;
  }

  output(name: string, value: Value, type: ElementType, shape: readonly (number | string)[]): void {
    this.#node('Identity', [value], [name], {});
    this.#outputs.push(declare(name, type, shape));
  }

  /** Adds a node of one output. */
  add(
    operator: string,
    operands: readonly Operand[],
    attributes: Readonly<Record<string, Attribute>> = {},
    domain: keyof typeof OPSETS = '',
  ): Value {
    const inputs = operands.map((operand) => this.#value(operand));
    const output = this.#name();
    this.#node(operator, inputs, [output], attributes, domain);
    return output;
  }

  tensor(tensor: Tensor): Value {
    const name = this.#name();
    this.#initializers.push(tensor.write(name));
    return name;
  }

  /** A constant list of whole numbers, such as the axes of a reduction. */
  longs(values: readonly number[]): Value {
    return this.tensor(Tensor.longs(values));
  }

  /** @param metadata by key */
  finish(
    name: string,
    { version, metadata }: { readonly version: number; readonly metadata: Map<string, string> },
  ): Message {
    const graph = new Message();
    for (const node of this.#nodes) graph.message(1, node);
    graph.text(2, name);
    for (const initializer of this.#initializers) graph.message(5, initializer);
    for (const input of this.#inputs) graph.message(11, input);
    for (const output of this.#outputs) graph.message(12, output);
    const model = new Message().int(1, IR_VERSION);
    model.text(2, 'roster').int(5, version).message(7, graph);
    for (const [domain, number] of Object.entries(OPSETS)) {
      model.message(8, new Message().text(1, domain).int(2, number));
    }
    for (const [key, text] of metadata) {
      model.message(14, new Message().text(1, key).text(2, text));
    }
    return model;
  }

  #node(
    operator: string,
    inputs: readonly Value[],
    outputs: readonly Value[],
    attributes: Readonly<Record<string, Attribute>>,
    domain = '',
  ): void {
    const node = new Message();
    for (const input of inputs) node.text(1, input);
    for (const output of outputs) node.text(2, output);
    node.text(4, operator);
    for (const [name, value] of Object.entries(attributes)) {
      node.message(5, writeAttribute(name, value));
    }
    if (domain !== '') node.text(7, domain);
    this.#nodes.push(node);
  }

  /** A number is a constant without dimensions, and written once. */
  #value(operand: Operand): Value {
    if (typeof operand === 'string') return operand;
    const known = this.#constants.get(operand);
    if (known !== undefined) return known;
    const constant = this.tensor(Tensor.doubles([operand], []));
    this.#constants.set(operand, constant);
    return constant;
  }

  #name(): Value {
    return `${OWN_NAMES}${++this.#count}`;
  }
}

/** The beginning of names that inputs and outputs must not have. */
export const OWN_NAMES = 'roster/';

function writeAttribute(name: string, value: Attribute): Message {
  const message = new Message().text(1, name);
  if (typeof value === 'number') return message.int(3, value).int(20, ATTRIBUTE.int);
  if (typeof value === 'string') return message.text(4, value).int(20, ATTRIBUTE.string);
  if (value instanceof Tensor) return message.message(5, value.write()).int(20, ATTRIBUTE.tensor);
  return message.ints(8, value).int(20, ATTRIBUTE.ints);
}

function declare(name: string, type: ElementType, shape: readonly (number | string)[]): Message {
  const dimensions = new Message();
  for (const size of shape) {
    const dimension = new Message();
    dimensions.message(1, typeof size === 'number' ? dimension.int(1, size) : dimension.text(2, size));
  }
  const tensor = new Message().int(1, TYPE[type]).message(2, dimensions);
  return new Message().text(1, name).message(2, new Message().message(1, tensor));
}
