/** Within these bounds, ISO 8601 writes years with four digits, which are those that dates of tables have. */
const FIRST = Date.parse('0000-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** Returns a moment, or NaN for one that a table does not read as a date. */
export function withinCalendar(time: number): number {
  return time >= FIRST && time <= LAST ? time : Number.NaN;
}

/** Returns a moment in ISO 8601; null for NaN. */
export function momentText(time: number): string | null {
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

/** Returns the day of a moment in ISO 8601; null for NaN. */
export function dateText(time: number): string | null {
  return momentText(time)?.slice(0, 10) ?? null;
}

/** Units of a second, and how many of them a second has. */
const UNITS = { second: 1, millisecond: 1e3, microsecond: 1e6, nanosecond: 1e9 } as const;

export type TimeUnit = keyof typeof UNITS;

/** Returns the time of a day as `HH:MM:SS`, with the digits of a fraction if there is one. */
export function clockText(count: number, unit: TimeUnit): string {
  const perSecond = UNITS[unit];
  const seconds = Math.floor(count / perSecond);
  const two = (value: number) => String(value).padStart(2, '0');
  const rest = count - seconds * perSecond;
  const digits = rest === 0 ? '' : String(rest).padStart(String(perSecond).length - 1, '0');
  // bounded: 9 digits (UNITS)
  const fraction = digits === '' ? '' : `.${digits.replace(/0+$/, '')}`;
  const hours = two(Math.floor(seconds / 3600));
  return `${hours}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${fraction}`;
}

/** Numbers of more than 53 bits, from their bytes. */

/** Powers of ten that a double holds exactly. */
const TENS = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/** 2 to the power of 32. */
const WORD = 4_294_967_296;

/** Returns the double nearest to a 64-bit integer, as JSON.parse does for its digits. */
export function nearestOfWords(low: number, high: number): number {
  return high * WORD + (low >>> 0);
}

/**
 * Returns the milliseconds of a moment, rounded down: a finer fraction of ISO 8601 is cut off, too.
 *
 * @param high the upper word, signed.
 */
export function millisOfWords(low: number, high: number, unit: TimeUnit): number {
  const word = low >>> 0;
  switch (unit) {
    case 'second':
      return nearestOfWords(low, high) * 1000;
    case 'millisecond':
      return nearestOfWords(low, high);
    case 'microsecond':
      // 2^32 = 4,294,967 × 1000 + 296: both parts are exact.
      return high * 4_294_967 + Math.floor((high * 296 + word) / 1000);
    case 'nanosecond':
      return high * 4294 + Math.floor((high * 967_296 + word) / 1e6);
  }
}

/** Returns the double nearest to `unscaled` ÷ 10^`scale`. */
export function decimal(unscaled: bigint, scale: number): number {
  const number = Number(unscaled);
  const ten = TENS[scale];
  // A quotient of two exact doubles is rounded once.
  if (ten !== undefined && Number.isSafeInteger(number)) return number / ten;
  return Number(`${unscaled}e${-scale}`);
}

/** Reads a signed integer whose bytes are in the order of `view`, the lowest first. */
export function signedLittle(view: DataView, at: number, bytes: number): bigint {
  let value = view.getInt8(at + bytes - 1) < 0 ? -1n : 0n;
  let left = bytes;
  for (; left >= 8; left -= 8) value = (value << 64n) | view.getBigUint64(at + left - 8, true);
  for (; left > 0; left--) value = (value << 8n) | BigInt(view.getUint8(at + left - 1));
  return value;
}

/** Reads a signed integer, the highest byte first; 0 of no bytes. */
export function signedBig(view: DataView, at: number, bytes: number): bigint {
  if (bytes === 0) return 0n;
  let value = view.getInt8(at) < 0 ? -1n : 0n;
  for (let index = 0; index < bytes; index++) {
    value = (value << 8n) | BigInt(view.getUint8(at + index));
  }
  return value;
}

/** Reads a number of 16 bits (IEEE 754 binary16). */
export function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
