/** A paragraph with the blank lines after it, or the part of one from a heading on. */
export interface Block {
  readonly begin: number;
  readonly end: number;
  /** The heading that it begins with. */
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
export function* blocksOf(text: string, hasHeadings: boolean): Generator<Block | undefined> {
  const headingOf: HeadingReader = hasHeadings ? headingReader() : () => undefined;
  let begin = 0;
  let heading: Heading | undefined;
  let isAfterBlank = false;
  let lines = 0;
  let end = endOfLine(text, 0);
  for (let at = 0; at < text.length; at = end, end = endOfLine(text, at)) {
    if (++lines % MAX_LINES === 0) yield undefined;
    const isBlank = isBlankBetween(text, at, end);
    const opened = headingOf(text, at, end, isBlank);
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
function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
}

function isBlankBetween(text: string, begin: number, end: number): boolean {
  for (let at = begin; at < end; at += 1) {
    if (!' \t\r\n'.includes(text.charAt(at))) return false;
  }
  return true;
}

/** The beginning of a line that is looked at: no heading or fence is longer. */
const MAX_LINE = 1000;

/** Reads the line between two offsets, after all lines before it. */
type HeadingReader = (
  text: string,
  begin: number,
  end: number,
  isBlank: boolean,
) => Heading | undefined;

/** A character at the begin of a line that may be a fence or a heading of the form `# Title`. */
const SIGN = /^ {0,3}[#`~]/;

/** A line of `=` or `-`, at an offset. */
const UNDERLINE = / {0,3}(=+|-{2,})[ \t]*(?:\r?\n|$)/y;

/**
 * Returns a reader of the headings of Markdown, line by line (CommonMark 0.31.2, sections 4.2, 4.3 and
 * 4.5): `# Title`, and a title with a line of `=` or `-` below it; not in fenced code.
 */
function headingReader(): HeadingReader {
  let fence: string | undefined;
  let isInParagraph = false;
  return (text, begin, end, isBlank) => {
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
    UNDERLINE.lastIndex = end;
    const [, underline] = UNDERLINE.exec(text) ?? [];
    if (underline === undefined || /^\s*([-+*>|]|=+$)/.test(line)) return undefined;
    return { level: underline.startsWith('=') ? 1 : 2, title: line.trim() };
  };
}
