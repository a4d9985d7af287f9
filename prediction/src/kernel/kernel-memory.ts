import { type Kernel, kernel } from '../../../generated/kernel.js';

const PAGE = 2 ** 16;

/** The alignment at which vectors load fastest. */
const ALIGNMENT = 16;

/** Memory grows by at least this fraction, since growing is slow. */
const SPARE_SHARE = 0.25;

let compiled: WebAssembly.Module | undefined;

/**
 * An instance of the kernel and its memory. The memory is freed as a whole, when the object is no
 * longer referenced.
 */
export class KernelMemory {
  readonly kernel: Kernel;
  readonly #memory: WebAssembly.Memory;
  #end: number;
  #views: ReturnType<typeof createViews>;

  /**
   * @throws {Error} if this process has no WebAssembly with SIMD, or no address space for another
   *   memory.
   */
  constructor() {
    compiled ??= new WebAssembly.Module(Buffer.from(kernel, 'base64'));
    this.#memory = new WebAssembly.Memory({ initial: 1 });
    const { exports } = new WebAssembly.Instance(compiled, { env: { memory: this.#memory } });
    // The interface was generated from the same source as the bytes.
    this.kernel = exports as Kernel;
    this.#end = this.kernel.firstFree();
    this.#views = createViews(this.#memory);
  }

  /**
   * Returns the address of `bytes` more bytes, all zero unless they were freed. Invalidates the arrays returned earlier
   * for this memory.
   *
   * @throws {RangeError} if the memory would exceed four gibibytes.
   */
  allocate(bytes: number): number {
    const start = Math.ceil(this.#end / ALIGNMENT) * ALIGNMENT;
    this.#end = start + bytes;
    const missing = this.#end - this.#memory.buffer.byteLength;
    if (missing > 0) {
      this.#memory.grow(Math.ceil(Math.max(missing, this.#end * SPARE_SHARE) / PAGE));
      this.#views = createViews(this.#memory);
    }
    return start;
  }

  /**
   * Frees the memory from an address on. Later allocations there are not zero.
   *
   * @param from as `allocate` returned it.
   */
  free(from: number): void {
    this.#end = from;
  }

  /** The address behind what is allocated. */
  get end(): number {
    return this.#end;
  }

  /** The number of bytes that the memory takes. It never shrinks. */
  get size(): number {
    return this.#memory.buffer.byteLength;
  }

  /**
   * The memory as arrays of one, four and eight bytes per element; divide an address by that size
   * to get the index.
   */
  get bytes(): Uint8Array {
    return this.#views.bytes;
  }

  get words(): Uint32Array {
    return this.#views.words;
  }

  get doubles(): Float64Array {
    return this.#views.doubles;
  }
}

function createViews({ buffer }: WebAssembly.Memory) {
  return { bytes: new Uint8Array(buffer), words: new Uint32Array(buffer), doubles: new Float64Array(buffer) };
}
