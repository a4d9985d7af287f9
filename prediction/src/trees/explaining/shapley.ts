import type { LeafGame } from './leaf-games.js';

/** Points and weights of a quadrature over 0 to 1. */
interface Quadrature {
  readonly points: Float64Array;
  readonly weights: Float64Array;
}

/**
 * The Shapley values of a leaf's players. Where each other player is known with the chance t, the leaf is reached with a
 * probability that is a product over the players, and a player's value is the mean, over t, of what its being known
 * changes (Owen 1972, *Multilinear extensions of games*). The mean is over a polynomial in t, so that Gauss–Legendre
 * quadrature with half as many points as there are players is exact.
 */
export class LeafValues {
  readonly #places: Uint16Array;
  /** The value of the leaf by point, weighted. */
  readonly #starts: Float64Array;
  /**
   * For each player, not met and met, and each point: the chance that it leaves the leaf possible, and by what the
   * probability of the leaf is multiplied for what its being known changes.
   */
  readonly #chances: Float64Array;
  readonly #changes: Float64Array;

  /** @param places of the players among the values that are added to. */
  constructor({ value, shares }: LeafGame, places: readonly number[]) {
    const { points, weights } = quadratureOf(shares.length);
    const count = points.length;
    this.#places = Uint16Array.from(places);
    this.#starts = weights.map((weight) => value * weight);
    this.#chances = new Float64Array(2 * count * shares.length);
    this.#changes = new Float64Array(2 * count * shares.length);
    for (const [player, share] of shares.entries()) {
      for (const [point, known] of points.entries()) {
        const at = 2 * count * player + point;
        const unknown = 1 - known;
        this.#chances[at] = unknown * share;
        this.#changes[at] = -1 / unknown;
        this.#chances[at + count] = known + unknown * share;
        this.#changes[at + count] = (1 - share) / (known + unknown * share);
      }
    }
  }

  get bytes(): number {
    return this.#places.byteLength + this.#starts.byteLength + 2 * this.#chances.byteLength;
  }

  /**
   * Adds the values for a row.
   *
   * @param metAt by place: the bits of the leaves that the row's value of the column meets.
   * @param leaf the bit of this one.
   */
  addTo(values: Float64Array, metAt: Int32Array, leaf: number): void {
    const places = this.#places;
    const starts = this.#starts;
    const chances = this.#chances;
    const changes = this.#changes;
    const count = starts.length;
    let met = 0;
    for (let player = 0; player < places.length; player++) {
      met |= (((metAt[places[player] ?? 0] ?? 0) >>> leaf) & 1) << player;
    }
    for (let point = 0; point < count; point++) {
      let reached = starts[point] ?? 0;
      for (let player = 0, at = point; player < places.length; player++, at += 2 * count) {
        reached *= chances[at + count * ((met >>> player) & 1)] ?? 0;
      }
      for (let player = 0, at = point; player < places.length; player++, at += 2 * count) {
        const place = places[player] ?? 0;
        values[place] = (values[place] ?? 0) + reached * (changes[at + count * ((met >>> player) & 1)] ?? 0);
      }
    }
  }
}

const quadratures: Quadrature[] = [];

/** Returns the quadrature that is exact for games of so many players: n points are, for degrees up to 2n − 1. */
export function quadratureOf(players: number): Quadrature {
  const count = Math.max(1, (players + 1) >> 1);
  quadratures[count] ??= createQuadrature(count);
  return quadratures[count] ?? createQuadrature(count);
}

/** Newton's steps that lead from the usual first guess to the last bit. */
const NEWTON_STEPS = 8;

/** Returns the Gauss–Legendre quadrature over 0 to 1 (roots of the Legendre polynomial by Newton's method). */
function createQuadrature(count: number): Quadrature {
  const points = new Float64Array(count);
  const weights = new Float64Array(count);
  for (let index = 0; index < count; index++) {
    let root = Math.cos((Math.PI * (index + 0.75)) / (count + 0.5));
    let slope = 1;
    for (let step = 0; step < NEWTON_STEPS; step++) {
      let [before, here] = [1, root];
      for (let degree = 2; degree <= count; degree++) {
        [before, here] = [here, ((2 * degree - 1) * root * here - (degree - 1) * before) / degree];
      }
      slope = (count * (root * here - before)) / (root * root - 1);
      root -= here / slope;
    }
    points[index] = (1 - root) / 2;
    weights[index] = 1 / ((1 - root * root) * slope * slope);
  }
  return { points, weights };
}
