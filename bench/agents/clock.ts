/** Returns the time of a clock that all processes of the machine share, in milliseconds. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
