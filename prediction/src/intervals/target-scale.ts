/**
 * The units that models learn in: target = magnitude × (centre + spread × standard). Magnitude and
 * spread are powers of two, which lose no digit, and keep targets of any size, near the limits of a
 * double too, from overflowing when they are squared.
 */
export interface TargetScale {
  magnitude: number;
  centre: number;
  spread: number;
}

/** Chooses units in which the target has mean 0 and a standard deviation of about 1. */
export function chooseScale(values: Float64Array): TargetScale {
  const magnitude = powerOfTwo(values.reduce((most, value) => Math.max(most, Math.abs(value)), 0));
  const centre = values.reduce((sum, value) => sum + value / magnitude, 0) / values.length;
  const variance =
    values.reduce((sum, value) => sum + (value / magnitude - centre) ** 2, 0) / values.length;
  return { magnitude, centre, spread: powerOfTwo(Math.sqrt(variance)) };
}

/** The power of two next to a size, where both it and its inverse are ordinary doubles. */
export function powerOfTwo(size: number): number {
  return size > 0 ? 2 ** Math.min(Math.max(Math.round(Math.log2(size)), -1000), 1000) : 1;
}

export function toStandard(scale: TargetScale, value: number): number {
  return (value / scale.magnitude - scale.centre) / scale.spread;
}

/** A finite number, also where the bound of an interval lies beyond all doubles. */
export function fromStandard(scale: TargetScale, standard: number): number {
  return toFinite(scale.magnitude * (scale.centre + scale.spread * standard));
}

/** A length: the distance between two targets that are `standard` apart. */
export function lengthFromStandard(scale: TargetScale, standard: number): number {
  return toFinite(scale.magnitude * (scale.spread * standard));
}

/** Adding 0 turns −0 into 0, which JSON and readers expect. */
export function toFinite(value: number): number {
  return Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE) + 0;
}
