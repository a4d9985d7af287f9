import type { JsonRecord } from '../../../server/contract/json-record.js';
import { members } from '../contract/contract.js';
import type { Finding } from '../finding.js';
import type { Pair } from '../schema/comparison.js';
import { compareContent } from './content.js';
import { addressOf, type Operation } from './operations.js';
import type { Scope } from './scope.js';

/** Compares parameters in the address, in headers and in cookies. */
export function compareParameters(scope: Scope, { before, after }: Pair<Operation>): Finding[] {
  const renamed = renamesOf({ before, after });
  const counterpart = (key: string) => after.parameters.get(renamed.get(key) ?? key);
  const known = new Set<JsonRecord>();
  const findings: Finding[] = [];
  for (const [key, old] of before.parameters) {
    const now = counterpart(key);
    if (now) {
      known.add(now);
      findings.push(
        ...compareParameter(scope.within(placeWords(now)), { before: old, after: now }),
      );
    } else if (old['in'] !== 'path') {
      findings.push(
        scope
          .within(placeWords(old))
          .finding('parameter-removed', { before: old, was: words(old) }),
      );
    }
  }
  for (const now of after.parameters.values()) {
    if (known.has(now) || now['in'] === 'path') continue;
    const rule = now['required'] === true ? 'required-parameter-added' : 'parameter-added';
    findings.push(scope.within(placeWords(now)).finding(rule, { after: now, is: words(now) }));
  }
  return findings;
}

/** Returns the renamed path parameters, which are identified by their position in the address. */
function renamesOf({ before, after }: Pair<Operation>): ReadonlyMap<string, string> {
  if (addressOf(before) !== addressOf(after)) return new Map();
  const [old, now] = [before, after].map(({ path }) => path.match(/(?<=\{)[^}]*(?=\})/g) ?? []);
  return new Map((old ?? []).map((name, index) => [`path ${name}`, `path ${now?.[index]}`]));
}

function compareParameter(scope: Scope, { before, after }: Pair<JsonRecord>): Finding[] {
  const findings: Finding[] = [];
  const details = { before, after };
  if ((before['required'] === true) !== (after['required'] === true)) {
    const [was, is] = [words(before), words(after)];
    const rule = after['required'] === true ? 'required-now' : 'optional-now';
    findings.push(scope.finding(rule, { ...details, was, is }));
  }
  findings.push(...compareSerialization(scope, details));
  if ((before['deprecated'] === true) !== (after['deprecated'] === true)) {
    const rule = after['deprecated'] === true ? 'deprecated' : 'no-longer-deprecated';
    findings.push(scope.finding(rule, details));
  }
  if (members(before['content']).length > 0 && members(after['content']).length > 0) {
    return [...findings, ...compareContent(scope, details)];
  }
  return [...findings, ...scope.schemas(before, after)];
}

function compareSerialization(scope: Scope, { before, after }: Pair<JsonRecord>): Finding[] {
  const details = { before, after };
  const [was, is] = [serialization(before), serialization(after)];
  const changed =
    was === is ? [] : [scope.finding('parameter-serialization-changed', { ...details, was, is })];
  const freedoms = ['allowReserved', 'allowEmptyValue'].flatMap((keyword) => {
    const [could, can] = [before, after].map((parameter) => parameter[keyword] === true);
    if (could === can) return [];
    const rule = can ? 'bound-loosened' : 'bound-tightened';
    return [scope.finding(rule, { ...details, was: can ? '' : keyword, is: can ? keyword : '' })];
  });
  return [...changed, ...freedoms];
}

const STYLES: Readonly<Record<string, string>> = { query: 'form', cookie: 'form' };

/** Returns the serialization of a value (OpenAPI 3.1, 4.8.12.2 and 4.8.12.3), with the defaults filled in. */
function serialization(parameter: JsonRecord): string {
  const content = members(parameter['content']).map(([type]) => type);
  if (content.length > 0) return `as ${content.join()}`;
  const style = parameter['style'] ?? STYLES[String(parameter['in'])] ?? 'simple';
  const explode = parameter['explode'] ?? style === 'form';
  return `style ${style}${explode ? ', exploded' : ''}`;
}

function placeWords(parameter: JsonRecord): string {
  return `${parameter['in']} ${parameter['name']}`;
}

function words(parameter: JsonRecord): string {
  return parameter['required'] === true ? 'required' : 'optional';
}
