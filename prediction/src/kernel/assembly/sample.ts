/**
 * Divides rows at random into a sample and the others, both in the order of the rows (Fan, Muller & Rezucha 1962; Knuth's
 * algorithm S). The random numbers are those of mulberry32, by Tommy Ettinger.
 *
 * @param rows u32, `count` of them.
 * @param chosen room for the sample: u32, `size` of them, at most `count`.
 * @param others room for one more than the rest: u32.
 * @param state u32, the state of the random numbers, which moves on.
 */
export function sampleRows(rows: usize, count: u32, size: u32, chosen: usize, others: usize, state: usize): void {
  let random = load<u32>(state);
  let needed = size;
  for (let left = count; left > 0; left--, rows += 4) {
    random += 0x6d2b79f5;
    let mixed = (random ^ (random >>> 15)) * (1 | random);
    mixed = (mixed + (mixed ^ (mixed >>> 7)) * (61 | mixed)) ^ mixed;
    const number = mixed ^ (mixed >>> 14);
    // Without a branch, which would be mispredicted every few rows.
    const isChosen = (<u64>number * <u64>left) >>> 32 < <u64>needed;
    const row = load<u32>(rows);
    store<u32>(chosen, row);
    store<u32>(others, row);
    chosen += isChosen ? 4 : 0;
    others += isChosen ? 0 : 4;
    needed -= isChosen ? 1 : 0;
  }
  store<u32>(state, random);
}
