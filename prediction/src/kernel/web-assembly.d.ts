/**
 * The part of the WebAssembly JavaScript Interface that is used here. Node has it; its types do
 * not.
 */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Memory {
    /** @param sizes in pages of 64 KiB. */
    constructor(sizes: { initial: number });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class Instance {
    constructor(module: Module, imports: { env: { memory: Memory } });
    readonly exports: unknown;
  }
}
