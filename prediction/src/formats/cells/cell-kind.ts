/**
 * What a cell is, in its low three bits.
 *
 * A *cell* tells where the value of a row and a column stands in the bytes of a body, which lie in the
 * kernel's memory. It takes eight bytes there: the address of its first byte as u32, and then
 * `length × 8 + kind` as u32. The cells of a row are adjacent, in the order of `CellPlan.columns`
 * (inputs, target, closing columns), and the rows of a block follow on one another.
 *
 * A scanner of a format is written in AssemblyScript, in a folder of its own beside
 * `kernel/assembly/cells`. It gets the address of the bytes, which `CellMemory.add` or `put` put there with
 * 64 zeros behind them, and the address of the cells, which are all zero, so all missing. It writes the
 * cells that it finds with `setCell`, and each as the kind below that fits. What it cannot tell apart
 * cheaply, as a quoted field with doubled quotes, is `OTHER`, and the reader gives `CellBinner` a
 * function that reads it. A row that it cannot scan stays missing: the reader makes an object of it,
 * adds that to the check of the body, and gives it to `CellBinner.block` beside the cells. The rows of
 * the cells are counted with `SchemaCheck.skip`. Read what the kernel tells of a scan, and copy bytes that
 * are needed later, before anything is allocated: views of the memory end when it grows.
 */
export const CellKind = {
  /** The row says nothing of the column. */
  missing: 0,
  /** The null of JSON. */
  null: 1,
  /** `true` or `false`, in these letters. */
  boolean: 2,
  /** A number of the type, not the text, and in the very form that `String` gives it. */
  number: 3,
  /**
   * A text, in UTF-8 and without its quotes. No byte is a quote, a backslash or below a space: the same
   * bytes between quotes are its JSON. It may still mean a number, a date or a missing value. An empty
   * field of CSV is a text of no bytes.
   */
  text: 4,
  /** A number in a form that JSON has, as `1.50` or `1e3`. */
  otherNumber: 5,
  /** Any other value. The reader's function makes a value of JSON of its bytes. */
  other: 6,
  /** JSON that the writer of an answer made of a cell, in place of its bytes. No scanner writes it. */
  written: 7,
} as const;

/** Bytes of a cell. */
export const CELL = 8;
