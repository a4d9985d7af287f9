import { beginningOf } from 'roster-prediction/text';
import { pausing } from '../../common/pausing.js';
import { indexTerms } from './terms.js';

export interface PreparedPassage {
  /** Its number in the document, from 1. */
  readonly number: number;
  /** The headings above it; empty if there are none. */
  readonly headings: string;
  /** The part of the text. The contents of all passages, in order, are the text. */
  readonly content: string;
  /** The terms of its headings and of its content, with spaces between them. */
  readonly terms: { readonly headings: string; readonly content: string };
}

/**
 * Splits a text into passages, and finds the terms of each; yields to other requests meanwhile.
 * @param hasHeadings whether the text is Markdown, and has headings
 */
export async function preparePassages(text: string, hasHeadings: boolean): Promise<readonly PreparedPassage[]> {
  const pause = pausing();
  const passages: PreparedPassage[] = [];
  for (const passage of splitText(text, hasHeadings)) {
    if (passage) {
      const { begin, end, headings } = passage;
      const content = text.slice(begin, end);
      const terms = { headings: indexTerms(headings), content: indexTerms(content) };
      passages.push({ number: passages.length + 1, headings, content, terms });
    }
    await pause();
  }
  return passages;
}

/** A part of a text, by its offsets in UTF-16 code units. */
interface TextPassage {
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
  let path: readonly Heading[] = [];
  const writePath = () => beginningOf(path.map(({ title }) => title).join(' > '), MAX_HEADINGS);
  let begin = 0;
  let headings = '';
  for (const block of readBlocks(text, hasHeadings)) {
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
    if (heading) path = path.filter(({ level }) => level < heading.level);
    if (begin === blockBegin) headings = writePath();
    if (heading && heading.title !== '') path = [...path, heading];
    while (end - begin > SIZE.max) {
      const cut = cutAfter(text, begin);
      yield { begin, end: cut, headings };
      begin = cut;
      headings = writePath();
    }
  }
  if (begin < text.length) yield { begin, end: text.length, headings };
}

/** Where a long paragraph is cut, the best first: after a line, a sentence, a word. */
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
  const isWithinPair = (text.codePointAt(end - 1) ?? 0) > 0xffff;
  return isWithinPair ? end - 1 : end;
}

/** A paragraph with the blank lines after it, or the part of one from a heading on. */
interface Block {
  readonly begin: number;
  readonly end: number;
  readonly heading: Heading | undefined;
}

interface Heading {
  /** From 1, the outermost, to 6. */
  readonly level: number;
  readonly title: string;
}

/** The lines that are read at one go. */
const MAX_LINES = 2000;

/**
 * Yields the blocks of a text, which together are the text, and undefined now and then within a long one, for others
 * to work.
 */
function* readBlocks(text: string, hasHeadings: boolean): Generator<Block | undefined> {
  const readHeading = hasHeadings ? createHeadingReader() : () => undefined;
  let begin = 0;
  let heading: Heading | undefined;
  let isAfterBlank = false;
  let lines = 0;
  let end = findEndOfLine(text, 0);
  for (let at = 0; at < text.length; at = end, end = findEndOfLine(text, at)) {
    if (++lines % MAX_LINES === 0) yield undefined;
    const isBlank = isBlankBetween(text, at, end);
    const opened = readHeading(text, at, end, isBlank);
    if (at > begin && (opened || (isAfterBlank && !isBlank))) {
      yield { begin, end: at, heading };
      begin = at;
      heading = opened;
    } else if (opened) heading = opened;
    isAfterBlank = isBlank;
  }
  if (begin < text.length) yield { begin, end: text.length, heading };
}

/** Returns the offset after the line that begins at an offset. */
function findEndOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
}

const BLANK = /[ \t\r]*\n?/y;

/** Returns whether a line is blank, in a tenth of the time that a loop over its characters takes. */
function isBlankBetween(text: string, begin: number, end: number): boolean {
  BLANK.lastIndex = begin;
  BLANK.test(text);
  return BLANK.lastIndex === end;
}

/** The beginning of a line that is looked at: no heading or fence is longer. */
const MAX_LINE = 1000;

/** A character at the begin of a line that may be a fence or a heading of the form `# Title`. */
const SIGN = /^ {0,3}[#`~]/;

/** A line of `=` or `-`. */
const UNDERLINE = /^ {0,3}(=+|-{2,})[ \t]*(?:\r?\n|$)/;

/**
 * Returns a reader of the headings of Markdown, line by line (CommonMark 0.31.2, sections 4.2, 4.3 and
 * 4.5): `# Title`, and a title with a line of `=` or `-` below it; not in fenced code.
 */
function createHeadingReader() {
  let fence: string | undefined;
  let isInParagraph = false;
  return (text: string, begin: number, end: number, isBlank: boolean): Heading | undefined => {
    const continues = isInParagraph;
    isInParagraph = !isBlank;
    if (isBlank) return undefined;
    const line = text.slice(begin, Math.min(end, begin + MAX_LINE)).trimEnd();
    if (SIGN.test(line)) {
      const [, marker] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
      if (marker !== undefined) isInParagraph = false;
      if (fence !== undefined) {
        if (marker?.startsWith(fence) && line.trim() === marker) fence = undefined;
        return undefined;
      }
      if (marker !== undefined) fence = marker;
      const [, marks, title = ''] = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/s.exec(line) ?? [];
      if (marks !== undefined) {
        isInParagraph = false;
        return { level: marks.length, title: title.replace(/[ \t]#+$/, '').trim() };
      }
    }
    if (fence !== undefined || !isInParagraph || continues) return undefined;
    // A paragraph of several lines may be a heading too, but is more often text above a rule.
    const [, underline] = UNDERLINE.exec(text.slice(end, end + MAX_LINE)) ?? [];
    if (underline === undefined || /^\s*([-+*>|]|=+$)/.test(line)) return undefined;
    return { level: underline.startsWith('=') ? 1 : 2, title: line.trim() };
  };
}
