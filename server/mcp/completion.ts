/** Completions of the names and values that people type. */

/** The most values of a completion, as the protocol has it. */
export const MAX_COMPLETIONS = 100;

/** The most characters of a text that are looked for. */
const MAX_TEXT = 200;

/** Returns the values that begin with a text, then those that contain it, whatever their case. */
export function complete(values: readonly string[], text: string): string[] {
  const wanted = text.slice(0, MAX_TEXT).toLowerCase();
  const at = values.map((value) => value.toLowerCase().indexOf(wanted));
  return [...values.filter((_, index) => at[index] === 0), ...values.filter((_, index) => (at[index] ?? -1) > 0)];
}
