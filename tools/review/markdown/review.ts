import type { Review } from '../review.js';
import type { Pair } from '../schema/comparison.js';
import { breaksIn, sectionsOf } from './sections.js';
import { shortened } from './shorten.js';
import { code, count } from './words.js';

const TITLE = ['## What this does to clients', ''];

/**
 * Formats a review as GitHub Flavored Markdown, with the gravest changes first. Text from a contract is put in
 * code spans, so that it mentions nobody and links nowhere.
 * @param sides short names of the versions that were compared.
 */
export function markdownOf(review: Review, sides: Pair<string>): string {
  return shortened([...TITLE, verdict(review, sides), ...sectionsOf(review)]);
}

/** Formats what is said instead of a review if a version is missing or cannot be read. */
export function withoutReview(statement: string, reason: string): string {
  return shortened([...TITLE, `**${statement}** ${code(reason)}`]);
}

function verdict(review: Review, sides: Pair<string>): string {
  const { versions, announced, added, notes, prose, others } = review;
  const broken = breaksIn(review);
  const { before, after } = versions;
  const raised =
    before === after ? `stays ${code(before)}` : `goes from ${code(before)} to ${code(after)}`;
  const beside = `Compares ${code(sides.before)} with ${code(sides.after)}; the version ${raised}.`;
  const enough = `it has to be ${code(announced.needed)} at least`;
  if (broken > 0 && !announced.breaksAnnounced) {
    return `**${count(broken, 'breaking change')}, which the version does not announce: ${enough}.** ${beside}`;
  }
  if (broken > 0)
    return `**${count(broken, 'breaking change')}, announced by the version.** ${beside}`;
  if (added.length > 0) {
    const advice = announced.additionsAnnounced ? '' : ` For additions, ${enough}.`;
    return `**Nothing breaks.** ${count(added.length, 'addition')}. ${beside}${advice}`;
  }
  if (notes.length + prose.length + others.length > 0) return `**Nothing breaks.** ${beside}`;
  if (review.formChanged) {
    return `**Nothing changed but the form of the file**, such as comments or the order. ${beside}`;
  }
  return `**Nothing changed.** ${beside}`;
}
