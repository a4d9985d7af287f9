import * as v from 'valibot';
import { writePointer } from '../../contract/pointer.js';
import { ContractFault, loadDocument } from './contract.js';
import { type Finding, placeOf } from './finding.js';
import { RULES, type Rule } from './rules.js';

/** A breaking change that is accepted as it is, without a version that announces it. */
export interface Acceptance {
  readonly rule: Rule;
  /** The place, as the review writes it; without it, the rule is accepted everywhere. */
  readonly at?: string | undefined;
  /** The new value, as the review writes it; without it, any. */
  readonly is?: string | undefined;
  readonly reason: string;
}

const text = v.pipe(v.string('is not text'), v.trim(), v.nonEmpty('is empty'));
const shape = v.strictObject({
  accepted: v.array(
    v.strictObject({
      rule: v.picklist(
        Object.keys(RULES) as [Rule, ...Rule[]],
        ({ received }) => `${received} is no rule of the review`,
      ),
      at: v.optional(text),
      is: v.optional(text),
      reason: text,
    }),
  ),
});

/**
 * Parses a file of accepted changes: YAML with a list `accepted`, whose elements have a `rule`, a `reason`, and may have
 * the place `at` and the new value `is`.
 * @throws {ContractFault} if it is not such a file
 */
export function readAcceptances(text: string, name: string): readonly Acceptance[] {
  const checked = v.safeParse(shape, loadDocument(text, name));
  if (checked.success) return checked.output.accepted;
  const [issue] = checked.issues;
  const at = writePointer((issue.path ?? []).map(({ key }) => String(key)));
  throw new ContractFault(`${name}: ${at || 'the file'}: ${issue.message}`);
}

/** Returns the first acceptance of a finding, if there is one. */
export function acceptanceOf(finding: Finding, acceptances: readonly Acceptance[]): Acceptance | undefined {
  return acceptances.find(
    ({ rule, at, is }) =>
      rule === finding.rule && (at === undefined || at === placeOf(finding)) && (is === undefined || is === finding.is),
  );
}
