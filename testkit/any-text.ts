import fc, { type StringConstraints } from 'fast-check';

/** The surrogates, which stand alone in no well-formed text, begin here. */
const SURROGATES = 0xd800;
const SURROGATE_COUNT = 0x800;

/**
 * Any character. It is the unit `binary` of fast-check without the table of all characters, which takes each
 * process that runs tests a second and 70 MB.
 */
const character = fc.nat({ max: 0x10ffff - SURROGATE_COUNT }).map(
  (index) => String.fromCodePoint(index < SURROGATES ? index : index + SURROGATE_COUNT),
  // The way back, by which fast-check mixes in texts such as `__proto__`.
  (text) => {
    const [only, ...others] = String(text);
    const code = only?.codePointAt(0);
    if (code === undefined || others.length > 0) throw new Error('This is not one character');
    return code < SURROGATES ? code : code - SURROGATE_COUNT;
  },
);

/** Any well-formed text, down to control characters. */
export function anyText(constraints: Omit<StringConstraints, 'unit'> = {}) {
  return fc.string({ ...constraints, unit: character });
}
