/**
 * Fills a sample with rows drawn at random, in the order that they stand in: one from each of as
 * many equal parts of the list as the sample has places.
 */
export function sampleInOrder(rows: Uint32Array, sample: Uint32Array, random: () => number): void {
  for (let index = 0; index < sample.length; index++) {
    const first = Math.floor((index * rows.length) / sample.length);
    const next = Math.floor(((index + 1) * rows.length) / sample.length);
    sample[index] = rows[first + Math.floor(random() * (next - first))] ?? 0;
  }
}
