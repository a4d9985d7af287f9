const MAX_BINS: usize = 256;

/** The size in bytes of the states of one row, a u16 for each of eight clusters. */
const STATES: usize = 16;

/** The size in bytes of two values, and of the description of a term. */
const PAIR: usize = 16;
const TERM: usize = 16;

/** The rows that are added at a time, whose last may be none: `addStates` adds what is not read. */
const ROWS: u32 = 4;

/**
 * Finds in which states rows meet the clusters of a group, as QuickScorer finds leaves: each feature of the group adds
 * a vector to the states of all its clusters.
 *
 * @param group seven words: the number of features, and four addresses: of their slots (u32, an index into `bins`), of
 *   the places of their bins' vectors (u16, 256 per feature), of the vectors, and of eight addresses of whether the values
 *   of a cluster's states are known (u8); then see `addStates`.
 * @param bins by slot, `rowCount` bins each.
 * @param states eight u16 by row; there is room for three rows more.
 * @param unknown lists values that are not known yet, as 65,536 × cluster + row, and marks them as known.
 * @returns the number of those.
 */
export function findStates(group: usize, bins: usize, states: usize, rowCount: u32, unknown: usize): u32 {
  const slots = <usize>load<u32>(group, 4);
  const slotsEnd = slots + 4 * <usize>load<u32>(group);
  const places = <usize>load<u32>(group, 8);
  const vectors = <usize>load<u32>(group, 12);
  const marks = <usize>load<u32>(group, 16);
  let end = unknown;
  for (let row: u32 = 0; row < rowCount; row++) {
    let sum = i16x8.splat(0);
    let place = places;
    for (let slot = slots; slot < slotsEnd; slot += 4) {
      const bin = <usize>load<u8>(bins + row + rowCount * load<u32>(slot));
      sum = i16x8.add(sum, v128.load(vectors + STATES * <usize>load<u16>(place + 2 * bin)));
      place += 2 * MAX_BINS;
    }
    const state = states + STATES * <usize>row;
    v128.store(state, sum);
    const known =
      load<u8>(load<u32>(marks) + i16x8.extract_lane_u(sum, 0)) &
      load<u8>(load<u32>(marks, 4) + i16x8.extract_lane_u(sum, 1)) &
      load<u8>(load<u32>(marks, 8) + i16x8.extract_lane_u(sum, 2)) &
      load<u8>(load<u32>(marks, 12) + i16x8.extract_lane_u(sum, 3)) &
      load<u8>(load<u32>(marks, 16) + i16x8.extract_lane_u(sum, 4)) &
      load<u8>(load<u32>(marks, 20) + i16x8.extract_lane_u(sum, 5)) &
      load<u8>(load<u32>(marks, 24) + i16x8.extract_lane_u(sum, 6)) &
      load<u8>(load<u32>(marks, 28) + i16x8.extract_lane_u(sum, 7));
    if (known === 0) end = listUnknown(marks, state, row, end);
  }
  for (let row = rowCount; row < rowCount + ROWS - 1; row++) {
    v128.store(states + STATES * <usize>row, i16x8.splat(0));
  }
  return <u32>((end - unknown) >> 2);
}

/** Lists the clusters of a row whose values are not known. Returns the end of the list. */
function listUnknown(marks: usize, state: usize, row: u32, end: usize): usize {
  for (let lane: usize = 0; lane < 8; lane++) {
    const mark = <usize>load<u32>(marks + 4 * lane) + <usize>load<u16>(state + 2 * lane);
    if (load<u8>(mark) !== 0) continue;
    store<u8>(mark, 1);
    store<u32>(end, ((<u32>lane) << 16) | row);
    end += 4;
  }
  return end;
}

/**
 * Adds the values of the clusters of a group to the contributions of rows.
 *
 * @param group its last two words are the address of its terms, and their end. Each is a pair of columns, the lane of a
 *   cluster times two, the address of its two values of the pair in the first state, and the number of bytes from one
 *   state to the next: the values of a state are adjacent, as most of the time goes into loading them.
 * @param states as `findStates` wrote them.
 * @param sums by pair of columns two f64 a row; there is room for three rows more.
 * @param sumBytes the distance between two pairs.
 */
export function addStates(group: usize, states: usize, rowCount: u32, sums: usize, sumBytes: usize): void {
  const end = <usize>load<u32>(group, 24);
  for (let term = <usize>load<u32>(group, 20); term < end; term += TERM) {
    const values = <usize>load<u32>(term, 8);
    const bytes = <usize>load<u32>(term, 12);
    let state = states + <usize>load<u32>(term, 4);
    let sum = sums + sumBytes * <usize>load<u32>(term);
    const sumEnd = sum + PAIR * <usize>rowCount;
    for (; sum < sumEnd; state += ROWS * STATES, sum += ROWS * PAIR) {
      addValues(sum, values + bytes * <usize>load<u16>(state));
      addValues(sum + PAIR, values + bytes * <usize>load<u16>(state, STATES));
      addValues(sum + 2 * PAIR, values + bytes * <usize>load<u16>(state, 2 * STATES));
      addValues(sum + 3 * PAIR, values + bytes * <usize>load<u16>(state, 3 * STATES));
    }
  }
}

function addValues(sum: usize, values: usize): void {
  v128.store(sum, f64x2.add(v128.load(sum), v128.load(values)));
}
