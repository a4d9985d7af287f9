import { asRecord, type JsonRecord } from '../../../server/contract/json-record.js';
import { member, members } from '../contract/contract.js';
import type { Finding } from '../finding.js';
import type { Pair } from '../schema/comparison.js';
import { canonical } from '../schema/words.js';
import { compareContent } from './content.js';
import type { Operation } from './operations.js';
import type { Scope } from './scope.js';

/** Compares the responses, status by status. */
export function compareResponses(scope: Scope, { before, after }: Pair<Operation>): Finding[] {
  const old = asRecord(before.definition['responses']);
  const now = asRecord(after.definition['responses']);
  const findings: Finding[] = [];
  for (const [status, response] of members(old)) {
    const other = now[status] ?? now[`${status[0]}XX`] ?? now['default'];
    const details = scope.contracts.before.resolve(response);
    if (other === undefined) {
      findings.push(
        scope.within(status).finding('status-removed', { before: details, was: status }),
      );
      continue;
    }
    const pair = { before: details, after: scope.contracts.after.resolve(other) };
    findings.push(...compareResponse(scope.within(status), pair));
  }
  for (const [status, response] of members(now)) {
    if (old[status] !== undefined) continue;
    const details = { after: scope.contracts.after.resolve(response), is: status };
    findings.push(scope.within(status).finding('status-added', details));
  }
  return findings;
}

/** Compares two versions of a response: its body, its headers, its links. */
export function compareResponse(scope: Scope, { before, after }: Pair<JsonRecord>): Finding[] {
  const body = scope.within('body');
  const [had, has] = [before, after].map(({ content }) => members(content).length > 0);
  const content =
    had && !has
      ? [body.finding('body-removed', { before, was: 'a body' })]
      : !had && has
        ? [body.finding('body-added', { after, is: 'a body' })]
        : compareContent(body, { before, after });
  return [
    ...content,
    ...compareHeaders(scope, { before, after }),
    ...compareLinks(scope, { before, after }),
  ];
}

function compareHeaders(scope: Scope, { before, after }: Pair<JsonRecord>): Finding[] {
  const { contracts } = scope;
  const named = (response: JsonRecord) =>
    new Map(
      members(response['headers']).map(([name, header]) => [name.toLowerCase(), { name, header }]),
    );
  const [old, now] = [named(before), named(after)];
  const findings: Finding[] = [];
  for (const [key, { name, header }] of old) {
    const inner = scope.within(`header ${name}`);
    const other = now.get(key);
    const was = contracts.before.resolve(header);
    if (!other) {
      findings.push(inner.finding('header-removed', { before, was: name }, 'headers'));
      continue;
    }
    const is = contracts.after.resolve(other.header);
    findings.push(...compareHeader(inner, { before: was, after: is }));
  }
  for (const [key, { name }] of now) {
    if (old.has(key)) continue;
    const details = { after, is: name };
    findings.push(scope.within(`header ${name}`).finding('header-added', details, 'headers'));
  }
  return findings;
}

function compareHeader(scope: Scope, { before, after }: Pair<JsonRecord>): Finding[] {
  const [was, is] = [before, after].map(({ required }) =>
    required === true ? 'required' : 'optional',
  );
  const details = { before, after, was: was ?? '', is: is ?? '' };
  const rule = is === 'required' ? 'required-now' : 'optional-now';
  return [...(was === is ? [] : [scope.finding(rule, details)]), ...scope.schemas(before, after)];
}

function compareLinks(scope: Scope, { before, after }: Pair<JsonRecord>): Finding[] {
  const { contracts } = scope;
  const [old, now] = [asRecord(before['links']), asRecord(after['links'])];
  const findings: Finding[] = [];
  for (const [name, link] of members(old)) {
    const inner = scope.within(`link ${name}`);
    if (member(now, name) === undefined) {
      findings.push(inner.finding('link-removed', { before, was: name }, 'links'));
      continue;
    }
    const pair = {
      before: contracts.before.resolve(link),
      after: contracts.after.resolve(member(now, name)),
    };
    const [was, is] = [leadsTo(pair.before), leadsTo(pair.after)];
    if (was !== is) findings.push(inner.finding('link-changed', { ...pair, was, is }));
  }
  for (const [name] of members(now)) {
    if (member(old, name) !== undefined) continue;
    findings.push(scope.within(`link ${name}`).finding('link-added', { after, is: name }, 'links'));
  }
  return findings;
}

function leadsTo({ description: _, ...link }: JsonRecord): string {
  return canonical(link);
}
