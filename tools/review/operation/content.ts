import { asRecord, type JsonRecord } from '../../../server/contract/json-record.js';
import { members } from '../contract/contract.js';
import type { Finding } from '../finding.js';
import type { Pair } from '../schema/comparison.js';
import { canonical } from '../schema/words.js';
import type { Scope } from './scope.js';

/** Compares a body by its media types. */
export function compareContent(scope: Scope, { before, after }: Pair<JsonRecord>): Finding[] {
  const old = members(before['content']);
  const now = members(after['content']);
  const findings: Finding[] = [];
  const only = old.length === 1 && now.length === 1;
  for (const [type, media] of old) {
    const [, other] =
      now.find(([one]) => one === type) ?? now.find(([one]) => covers(one, type)) ?? [];
    if (other === undefined) {
      findings.push(scope.finding('media-type-removed', { before, was: type }, 'content'));
      continue;
    }
    const inner = only ? scope : scope.within(`(${type})`);
    findings.push(...compareMedia(inner, { before: asRecord(media), after: asRecord(other) }));
  }
  for (const [type] of now) {
    if (old.some(([one]) => one === type)) continue;
    findings.push(scope.finding('media-type-added', { after, is: type }, 'content'));
  }
  return findings;
}

/** Whether a media range covers a type: `text/*` covers `text/csv` (RFC 9110, 12.5.1). */
function covers(range: string, type: string): boolean {
  return range === '*/*' || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));
}

function compareMedia(scope: Scope, { before, after }: Pair<JsonRecord>): Finding[] {
  const [was, is] = [before, after].map(({ encoding }) => canonical(encoding ?? {}));
  const details = { before, after, was: was ?? '', is: is ?? '' };
  return [
    ...(was === is ? [] : [scope.finding('encoding-changed', details, 'encoding')]),
    ...scope.schemas(before, after),
  ];
}
