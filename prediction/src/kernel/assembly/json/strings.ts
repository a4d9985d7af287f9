const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;
const ZERO: u32 = 0x30;

/** Returns the address of the first byte that ends a run of plain text: a quote, a backslash or a control. */
export function stringEnd(at: usize): usize {
  let found = 0;
  for (;;) {
    const bytes = v128.load(at);
    const ends = v128.or(
      v128.or(i8x16.eq(bytes, i8x16.splat(0x22)), i8x16.eq(bytes, i8x16.splat(0x5c))),
      i8x16.lt_u(bytes, i8x16.splat(0x20)),
    );
    found = i8x16.bitmask(ends);
    if (found !== 0) break;
    at += 16;
  }
  return at + ctz(found);
}

/** Scans the rest of a string from where its plain text ends, up to behind its closing quote. */
export function scanEscaped(at: usize): usize {
  while (load<u8>(at) === BACKSLASH) {
    const letter = <u32>load<u8>(at + 1);
    if (letter === 0x75) {
      for (let digit: usize = 2; digit < 6; digit++) {
        if (!isHexDigit(load<u8>(at + digit))) return 0;
      }
      at += 6;
    } else if (isEscape(letter)) {
      at += 2;
    } else {
      return 0;
    }
    at = stringEnd(at);
  }
  return load<u8>(at) === QUOTE ? at + 1 : 0;
}

function isHexDigit(byte: u32): bool {
  return byte - ZERO <= 9 || (byte | 0x20) - 0x61 <= 5;
}

/** Returns whether a letter behind a backslash is one of "\/bfnrt. */
function isEscape(letter: u32): bool {
  if (letter === QUOTE || letter === BACKSLASH || letter === 0x2f) return true;
  return letter === 0x62 || letter === 0x66 || letter === 0x6e || letter === 0x72 || letter === 0x74;
}
