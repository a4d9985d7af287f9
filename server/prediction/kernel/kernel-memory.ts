import { type Kernel, kernel } from '../../../generated/kernel.js';

const PAGE = 2 ** 16;

/** What a vector is best loaded from. */
const ALIGNMENT = 16;

let compiled: WebAssembly.Module | undefined;

/**
 * An instance of the kernel and the memory that it works on. What is allocated is freed as a whole,
 * when the object is no longer referred to.
 */
export class KernelMemory {
  readonly kernel: Kernel;
  readonly #memory: WebAssembly.Memory;
  #end: number;

  /**
   * @throws {Error} if this process has no WebAssembly with vector instructions, or no room for
   *   another memory among its addresses.
   */
  constructor() {
    compiled ??= new WebAssembly.Module(Buffer.from(kernel, 'base64'));
    this.#memory = new WebAssembly.Memory({ initial: 1 });
    const { exports } = new WebAssembly.Instance(compiled, { env: { memory: this.#memory } });
    // The interface was generated from the same source as the bytes.
    this.kernel = exports as Kernel;
    this.#end = this.kernel.firstFree();
  }

  /**
   * The address of so many more bytes, all zero. Arrays that were made before may be of no use
   * after it: the memory may have moved.
   *
   * @throws {RangeError} if there are not so many left, of four gibibytes.
   */
  allocate(bytes: number): number {
    const start = Math.ceil(this.#end / ALIGNMENT) * ALIGNMENT;
    this.#end = start + bytes;
    const missing = this.#end - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE));
    return start;
  }

  bytes(address: number, length: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, address, length);
  }

  words(address: number, length: number): Uint32Array {
    return new Uint32Array(this.#memory.buffer, address, length);
  }

  doubles(address: number, length: number): Float64Array {
    return new Float64Array(this.#memory.buffer, address, length);
  }
}
