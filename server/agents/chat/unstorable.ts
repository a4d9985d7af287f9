/** U+0000 and halves of surrogate pairs, which no database keeps. */
const UNSTORABLE = /[\0\p{Surrogate}]/gu;

/** Returns a text of a language model as one that can be stored: what no database keeps becomes U+FFFD. */
export function replaceUnstorable(text: string): string {
  return text.replace(UNSTORABLE, '\u{fffd}');
}
