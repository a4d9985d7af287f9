/** A secret shorter than this is a piece of one, of no use; and a name such as roster_sales_2026 is not a key. */
const MIN_SECRET_LENGTH = 16;

const KEY = new RegExp(`roster_[A-Za-z0-9]+_[A-Za-z0-9]{${MIN_SECRET_LENGTH},}`, 'g');

/** A text without the keys in it: one that was sent in the wrong place is not repeated where others read it. */
export function withoutKeys(text: string): string {
  return text.replace(KEY, 'roster_…');
}
