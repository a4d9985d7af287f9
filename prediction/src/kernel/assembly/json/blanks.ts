/** True if a line end ends the JSON, as it does where each line is a value. */
let areLines: bool = false;

export function setLines(are: bool): void {
  areLines = are;
}

export function isBlank(byte: u32): bool {
  if (byte > 0x20) return false;
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || (byte === 0x0a && !areLines);
}

export function isClosing(byte: u32, isObject: bool): bool {
  return byte === (isObject ? 0x7d : 0x5d);
}
