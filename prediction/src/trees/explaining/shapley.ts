import { MAX_LEAVES } from '../forest/tree.js';
import type { LeafGame } from './leaf-games.js';

/** Points and weights of a quadrature over 0 to 1. */
interface Quadrature {
  readonly points: Float64Array;
  readonly weights: Float64Array;
}

/**
 * Adds the Shapley values of a leaf's players. Where each other player is known with the chance t, the leaf is reached
 * with a probability that is a product over the players, and a player's value is the mean, over t, of what its being
 * known changes (Owen 1972, *Multilinear extensions of games*). The mean is over a polynomial in t, so that
 * Gauss–Legendre quadrature with half as many points as there are players is exact.
 *
 * @param met the bits of the players, by their place in the game, that the row meets.
 * @param values by index of the player from `at` on.
 */
export function addShapleyValues(
  { value, players, shares }: LeafGame,
  met: number,
  values: Float64Array,
  at: number,
): void {
  const { points, weights } = quadratureOf(players.length);
  const met01 = (place: number) => (met >>> place) & 1;
  for (let point = 0; point < points.length; point++) {
    const known = points[point] ?? 0;
    const unknown = 1 - known;
    let reached = value * (weights[point] ?? 0);
    for (let place = 0; place < shares.length; place++) {
      reached *= known * met01(place) + unknown * (shares[place] ?? 0);
    }
    for (let place = 0; place < shares.length; place++) {
      const share = shares[place] ?? 0;
      const change = met01(place) ? (1 - share) / (known + unknown * share) : -1 / unknown;
      const index = at + (players[place] ?? 0);
      values[index] = (values[index] ?? 0) + reached * change;
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

/** The most points that a leaf needs. */
export const MAX_POINTS = MAX_LEAVES / 2;

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
