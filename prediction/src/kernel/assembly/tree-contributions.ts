/** The size in bytes of two numbers, and of the description of a split and of an edge before its factors. */
const PAIR: usize = 16;
const SPLIT: usize = 48;
const EDGE: usize = 32;

/** The ways in which an edge is met: see `addTreeContributions`. */
const WAYS: usize = 3;

/**
 * Adds what a tree contributes to the scores of rows. The chance of reaching a node, where each column is known with the
 * chance t, is a product down the path; it is needed at a few points t, two of which are in a vector. On the way back up,
 * what reaches the leaves below an edge, times what the column of that edge changes, is added to the column: *Linear
 * TreeSHAP* (Yu 2022), with the points and weights of a quadrature.
 *
 * @param tree five words: the number of splits; the address of them; that of the edges, and their end; and the number of
 *   pairs of points. Three more words are not used; then come the weights of the points.
 *   - A split has the slot of its feature (u32), three unused words, and 256 bits for the bins that go left.
 *   - An edge has the index of its parent edge, and of the edge above it that the same column decides (u32; 0 is the root,
 *     edges count from 1, parents first), twice the index of its split plus one if it goes right (u32), where the sum
 *     of its column is (u32, bytes from `sums`), the value of its leaf (f64), whether it ends in one (u32), an unused
 *     word, and factors. These are, for each way in which the row meets the column on this path, one f64 a point: what
 *     the chance is multiplied by, then what the column's being known changes more than at the edge above. The ways are
 *     not met above, met above alone, and met.
 * @param bins by slot, `rowCount` bins each.
 * @param work room for a byte for each edge and the root, and then, from `work` + 64, two numbers by point for each.
 * @param sums f64; those of a row are `PAIR` bytes from those of the row before.
 */
export function addTreeContributions(tree: usize, bins: usize, rowCount: u32, work: usize, sums: usize): void {
  const splits = <usize>load<u32>(tree, 4);
  const splitsEnd = splits + SPLIT * <usize>load<u32>(tree);
  const edges = <usize>load<u32>(tree, 8);
  const edgesEnd = <usize>load<u32>(tree, 12);
  const points = PAIR * <usize>load<u32>(tree, 16);
  const weights = tree + 32;
  const edgeBytes = EDGE + 2 * WAYS * points;
  const chances = work + 64;
  // The shares that reach leaves stand beside the chances of the same node.
  const node = 2 * points;
  store<u8>(work, 1);
  memory.copy(chances, weights, points);
  for (let row: usize = 0; row < <usize>rowCount; row++) {
    let left: u32 = 0;
    let bit: u32 = 0;
    for (let split = splits; split < splitsEnd; split += SPLIT) {
      const bin = <usize>load<u8>(bins + row + <usize>rowCount * <usize>load<u32>(split));
      left |= ((<u32>load<u8>(split + 16 + (bin >> 3)) >> (<u32>bin & 7)) & 1) << bit;
      bit++;
    }
    let here = chances;
    let met = work;
    for (let edge = edges; edge < edgesEnd; edge += edgeBytes) {
      here += node;
      met++;
      const code = load<u32>(edge, 8);
      const above = <u32>load<u8>(work + <usize>load<u32>(edge, 4));
      const now = above & ((left >> (code >> 1)) ^ code) & 1;
      store<u8>(met, <u8>now);
      const factors = edge + EDGE + 2 * points * <usize>(above + now);
      const parent = chances + node * <usize>load<u32>(edge);
      if (load<u32>(edge, 24) !== 0) {
        const value = v128.load64_splat(edge, 16);
        for (let at: usize = 0; at < points; at += PAIR) {
          const chance = f64x2.mul(v128.load(parent + at), v128.load(factors + at));
          v128.store(here + points + at, f64x2.mul(chance, value));
        }
      } else {
        for (let at: usize = 0; at < points; at += PAIR) {
          v128.store(here + at, f64x2.mul(v128.load(parent + at), v128.load(factors + at)));
          v128.store(here + points + at, f64x2.splat(0));
        }
      }
    }
    const sumsOfRow = sums + PAIR * row;
    for (let edge = edgesEnd - edgeBytes; edge >= edges; edge -= edgeBytes) {
      const above = <u32>load<u8>(work + <usize>load<u32>(edge, 4));
      const changes = edge + EDGE + points + 2 * points * <usize>(above + <u32>load<u8>(met));
      const parent = chances + points + node * <usize>load<u32>(edge);
      const own = here + points;
      let change = f64x2.splat(0);
      for (let at: usize = 0; at < points; at += PAIR) {
        const reached = v128.load(own + at);
        change = f64x2.add(change, f64x2.mul(reached, v128.load(changes + at)));
        v128.store(parent + at, f64x2.add(v128.load(parent + at), reached));
      }
      const sum = sumsOfRow + <usize>load<u32>(edge, 12);
      store<f64>(sum, load<f64>(sum) + f64x2.extract_lane(change, 0) + f64x2.extract_lane(change, 1));
      here -= node;
      met--;
    }
  }
}
