/**
 * Moves the rows that go left to the front, in stable order.
 *
 * @param rows u32, `count` of them.
 * @param moved memory for the same number of rows.
 * @param bins u8 by row of the table, of the feature.
 * @param goesLeft u8 by bin: 1 if its rows go left, else 0.
 * @returns the number of rows that go left.
 */
export function partition(rows: usize, count: u32, moved: usize, bins: usize, goesLeft: usize): u32 {
  let left = rows;
  let right = moved;
  // Each row is written to both sides, and one side keeps it: no branch can be mispredicted.
  for (let at = rows, end = rows + 4 * count; at < end; at += 4) {
    const row = load<u32>(at);
    const side = 4 * <usize>load<u8>(goesLeft + <usize>load<u8>(bins + row));
    store<u32>(left, row);
    store<u32>(right, row);
    left += side;
    right += 4 - side;
  }
  memory.copy(left, moved, right - moved);
  return <u32>((left - rows) >> 2);
}

/**
 * Adds a number to the sums of rows.
 *
 * @param sums f64 by row of the table.
 */
export function addToRows(sums: usize, rows: usize, count: u32, addend: f64): void {
  for (const end = rows + 4 * count; rows < end; rows += 4) {
    const at = sums + 8 * <usize>load<u32>(rows);
    store<f64>(at, load<f64>(at) + addend);
  }
}
