import { pausing } from '../../common/pausing.js';
import { splitText } from './split-text.js';
import { indexedTerms } from './terms.js';

/** A passage as it is stored. */
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
export async function preparePassages(
  text: string,
  hasHeadings: boolean,
): Promise<readonly PreparedPassage[]> {
  const pause = pausing();
  const passages: PreparedPassage[] = [];
  for (const passage of splitText(text, hasHeadings)) {
    if (passage) {
      const { begin, end, headings } = passage;
      const content = text.slice(begin, end);
      const terms = { headings: indexedTerms(headings), content: indexedTerms(content) };
      passages.push({ number: passages.length + 1, headings, content, terms });
    }
    await pause();
  }
  return passages;
}
