/** A point of a line, and the interval around it, as positions in a drawing. */
export interface BandPoint {
  readonly x: number;
  readonly y: number;
  readonly low: number;
  readonly high: number;
}

/** A line with the band of its intervals. */
export function Band({ points }: { points: readonly BandPoint[] }) {
  const upper = points.map(({ x, high }) => `${x},${high}`);
  const lower = points.map(({ x, low }) => `${x},${low}`);
  return (
    <>
      <polygon class="band" points={[...upper, ...lower.reverse()].join(' ')} />
      <polyline class="stroke" points={points.map(({ x, y }) => `${x},${y}`).join(' ')} />
    </>
  );
}
