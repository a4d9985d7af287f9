import type { Remark } from './finding.js';

/** A fault, by the reviewer that tells it best, with the rules of the others that found it, too. */
export interface MergedRemark extends Remark {
  readonly others: readonly string[];
}

/**
 * Tells each fault once.
 * @param reviews the remarks of each reviewer, the clearest reviewer first. A remark of a later one is left out
 * if an earlier one has a remark on the same subject at the same part, or at a part of it or around it.
 */
export function merge(reviews: readonly (readonly Remark[])[]): MergedRemark[] {
  const kept: { remark: Remark; others: Set<string> }[] = [];
  for (const review of reviews) {
    const earlier = [...kept];
    const told = new Set<string>();
    for (const remark of review) {
      const same = earlier.filter((one) => isSameFault(one.remark, remark));
      for (const { others } of same) others.add(remark.rule);
      const text = JSON.stringify([remark.rule, remark.pointer, remark.message]);
      if (same.length > 0 || told.has(text)) continue;
      told.add(text);
      kept.push({ remark, others: new Set() });
    }
  }
  const merged = kept.map(({ remark, others }) => ({ ...remark, others: [...others] }));
  return onceForEachTarget(withoutConsequences(merged));
}

function isSameFault(one: Remark, other: Remark): boolean {
  if (subjectOf(one.rule) !== subjectOf(other.rule)) return false;
  return isWithin(one.pointer, other.pointer) || isWithin(other.pointer, one.pointer);
}

function isWithin(pointer: string, part: string): boolean {
  return pointer === part || pointer.startsWith(`${part}/`);
}

const UNUSED = 'spectral/oas3-unused-component';

/**
 * Leaves out what follows from a broken reference: the component that it was meant for seems unused, and rules
 * about what it leads to find nothing, at no place.
 */
function withoutConsequences(remarks: readonly MergedRemark[]): readonly MergedRemark[] {
  if (!remarks.some(({ rule }) => rule === 'contract/reference')) return remarks;
  return remarks.filter(
    ({ rule, pointer }) => rule !== UNUSED && !(rule.startsWith('spectral/') && pointer === ''),
  );
}

/** Tells a part that is not there once, at the first reference to it: it may have hundreds. */
function onceForEachTarget(remarks: readonly MergedRemark[]): MergedRemark[] {
  const references = remarks.filter(({ rule }) => subjectOf(rule) === 'reference');
  const [first, count] = [new Map<string, MergedRemark>(), new Map<string, number>()];
  for (const remark of references) {
    if (!first.has(remark.message)) first.set(remark.message, remark);
    count.set(remark.message, (count.get(remark.message) ?? 0) + 1);
  }
  return remarks.flatMap((remark) => {
    if (subjectOf(remark.rule) !== 'reference') return [remark];
    if (first.get(remark.message) !== remark) return [];
    const more = (count.get(remark.message) ?? 1) - 1;
    const elsewhere = more === 0 ? '' : `, here and at ${more} more place${more > 1 ? 's' : ''}`;
    return [{ ...remark, message: `${remark.message}${elsewhere}` }];
  });
}

/**
 * The rules of several reviewers that find the same fault, by its subject. Rules of the same name find the same
 * fault, too.
 */
const SUBJECTS: Readonly<Record<string, readonly string[]>> = {
  reference: [
    'contract/reference',
    'spectral/invalid-ref',
    'redocly/no-unresolved-refs',
    // A security scheme is referred to by its name.
    'redocly/security-defined',
  ],
  example: [
    'contract/example',
    'spectral/oas3-valid-media-example',
    'spectral/oas3-valid-schema-example',
    'redocly/no-invalid-media-type-examples',
    'redocly/no-invalid-schema-examples',
    'redocly/no-invalid-parameter-examples',
  ],
  structure: [
    'contract/schema',
    'contract/shape',
    'spectral/oas3-schema',
    'redocly/struct',
    'redocly/spec',
    'redocly/no-schema-type-mismatch',
  ],
  operationId: [
    'contract/operation',
    'spectral/operation-operationId-unique',
    'redocly/operation-operationId-unique',
  ],
  'path-parameters': [
    'spectral/path-params',
    'redocly/path-parameters-defined',
    'redocly/path-declaration-must-exist',
  ],
  description: [
    'spectral/roster-described',
    'spectral/oas3-parameter-description',
    'redocly/parameter-description',
  ],
  tags: ['spectral/roster-operation-one-tag', 'spectral/operation-tags'],
  'defined-tags': ['spectral/operation-tag-defined', 'redocly/operation-tag-defined'],
  'error-response': ['spectral/roster-operation-400', 'redocly/operation-4xx-response'],
  licence: ['spectral/info-license', 'redocly/info-license'],
  'trailing-slash': ['spectral/path-keys-no-trailing-slash', 'redocly/no-path-trailing-slash'],
};

const SUBJECT_OF = new Map(
  Object.entries(SUBJECTS).flatMap(([subject, rules]) => rules.map((rule) => [rule, subject])),
);

/** Returns what a rule is about: the same for rules of several reviewers that find the same fault. */
function subjectOf(rule: string): string {
  return SUBJECT_OF.get(rule) ?? rule.slice(rule.indexOf('/') + 1);
}
