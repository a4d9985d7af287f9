import { blocksOf } from './blocks.js';
import { truncated } from './truncated.js';

/** A part of a text, by its offsets in UTF-16 code units. */
export interface TextPassage {
  readonly begin: number;
  readonly end: number;
  /** The headings above it, the outermost first, with " > " between them; empty if there are none. */
  readonly headings: string;
}

/**
 * The sizes of passages, in UTF-16 code units: a new heading ends a passage of `min`, and a new
 * paragraph one of `full`. All passages but the last of a text have at least `min`.
 */
const SIZE = { min: 400, full: 800, max: 1500 };

/** The longest path of headings, in UTF-16 code units. */
const MAX_HEADINGS = 300;

/**
 * Splits a text into passages, which together are the text: at headings and paragraphs; within a long
 * paragraph, at the ends of lines, sentences or words.
 * @param hasHeadings whether the text is Markdown, and has headings
 * @returns the passages, and undefined now and then, for others to work
 */
export function* splitText(text: string, hasHeadings: boolean): Generator<TextPassage | undefined> {
  const path = new HeadingPath();
  let begin = 0;
  let headings = '';
  for (const block of blocksOf(text, hasHeadings)) {
    if (!block) {
      yield undefined;
      continue;
    }
    const { begin: blockBegin, end, heading } = block;
    const size = blockBegin - begin;
    const isFull = size >= SIZE.full || (size >= SIZE.min && end - begin > SIZE.max);
    if (isFull || (heading && size >= SIZE.min)) {
      yield { begin, end: blockBegin, headings };
      begin = blockBegin;
    }
    if (heading) path.leave(heading.level);
    if (begin === blockBegin) headings = path.text;
    if (heading) path.enter(heading.level, heading.title);
    while (end - begin > SIZE.max) {
      const cut = cutAfter(text, begin);
      yield { begin, end: cut, headings };
      begin = cut;
      headings = path.text;
    }
  }
  if (begin < text.length) yield { begin, end: text.length, headings };
}

/** The places at which a long paragraph is cut, the best first: after a line, a sentence, a word. */
const CUTS = [/^.*[\n\r]/s, /^.*(?:[.!?…]["'”’)\]]*\s|[。！？])/s, /^.*\s/s];

/** Returns the end of the longest passage that begins at an offset, and may not be the last. */
function cutAfter(text: string, begin: number): number {
  const least = begin + SIZE.full;
  const window = text.slice(least, begin + SIZE.max);
  for (const cut of CUTS) {
    const [before] = cut.exec(window) ?? [];
    if (before !== undefined) return least + before.length;
  }
  const end = begin + SIZE.max;
  return isWithinPair(text, end) ? end - 1 : end;
}

function isWithinPair(text: string, at: number): boolean {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

/** The headings that a place in a text is under. */
class HeadingPath {
  #headings: { readonly level: number; readonly title: string }[] = [];

  get text(): string {
    const path = this.#headings.map(({ title }) => title).join(' > ');
    return truncated(path, MAX_HEADINGS);
  }

  /** Ends the headings that a new one of this level is not under. */
  leave(level: number): void {
    this.#headings = this.#headings.filter((heading) => heading.level < level);
  }

  enter(level: number, title: string): void {
    if (title !== '') this.#headings.push({ level, title });
  }
}
