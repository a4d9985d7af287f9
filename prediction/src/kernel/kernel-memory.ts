import { type Kernel, kernel } from '../../../generated/kernel.js';

const PAGE = 2 ** 16;

/** What a vector is best loaded from. */
const ALIGNMENT = 16;

/** More than is asked for is added to a memory at a time, since that takes long. */
const SPARE_SHARE = 0.25;

let compiled: WebAssembly.Module | undefined;

/**
 * An instance of the kernel and the memory that it works on. What is allocated is freed as a whole,
 * when the object is no longer referred to.
 */
export class KernelMemory {
  readonly kernel: Kernel;
  readonly #memory: WebAssembly.Memory;
  #end: number;
  #views: ReturnType<typeof viewsOf>;

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
    this.#views = viewsOf(this.#memory);
  }

  /**
   * The address of so many more bytes, all zero. The arrays that were got of the memory before are
   * of no use after it.
   *
   * @throws {RangeError} if there are not so many left, of four gibibytes.
   */
  allocate(bytes: number): number {
    const start = Math.ceil(this.#end / ALIGNMENT) * ALIGNMENT;
    this.#end = start + bytes;
    const missing = this.#end - this.#memory.buffer.byteLength;
    if (missing > 0) {
      this.#memory.grow(Math.ceil(Math.max(missing, this.#end * SPARE_SHARE) / PAGE));
      this.#views = viewsOf(this.#memory);
    }
    return start;
  }

  /** The memory as numbers of one, four and eight bytes; an address divided by that is an index. */
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

function viewsOf({ buffer }: WebAssembly.Memory) {
  return {
    bytes: new Uint8Array(buffer),
    words: new Uint32Array(buffer),
    doubles: new Float64Array(buffer),
  };
}
