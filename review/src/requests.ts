import type { JsonRecord } from '../../contract/json-record.js';
import { compareContent, compareValues } from './content.js';
import { type Contract, members } from './contract.js';
import { below, type Difference, difference, type Pair, wordsDiffer } from './finding.js';
import { comparePartLife, ruleOfRemoval } from './lifecycle.js';
import { compareFlag, compareNamed, necessity, resolvePair } from './named.js';
import { type Operation, pathParameters, serialization, writeAddress } from './operations.js';
import type { Party } from './rules.js';

type Contracts = Pair<Contract>;

/** Compares parameters in the address, in headers and in cookies. */
export function compareParameters(
  contracts: Contracts,
  party: Party,
  { before, after }: Pair<Operation>,
): Difference[] {
  // Path parameters are identified by their position in the address; a change of it is reported elsewhere.
  const names = pathParameters(after);
  const renamed = new Map(
    writeAddress(before) === writeAddress(after)
      ? pathParameters(before).map((name, index) => [`path ${name}`, `path ${names[index]}`])
      : [],
  );
  const step = (part: JsonRecord) => ` ${part['in']} ${part['name']}`;
  return compareNamed(
    { before: before.parameters, after: after.parameters },
    {
      find: (key) => after.parameters.get(renamed.get(key) ?? key),
      gone: (_, part) => {
        if (part['in'] === 'path') return [];
        const details = { before: part, was: necessity(part) };
        const rule = ruleOfRemoval(contracts, 'parameter-removed', part);
        return below(step(part), [difference(contracts, rule, details)]);
      },
      come: (_, part) => {
        if (part['in'] === 'path') return [];
        const rule = part['required'] === true ? 'required-parameter-added' : 'parameter-added';
        const details = { after: part, is: necessity(part) };
        return below(step(part), [difference(contracts, rule, details)]);
      },
      both: (_, pair) => below(step(pair.after), compareParameter(contracts, party, pair)),
    },
  );
}

function compareParameter(contracts: Contracts, party: Party, pair: Pair<JsonRecord>): Difference[] {
  const hasContent = [pair.before, pair.after].every(({ content }) => members(content).length > 0);
  return [
    ...compareFlag(contracts, pair, 'required'),
    ...wordsDiffer(contracts, 'parameter-serialization-changed', pair, serialization),
    ...compareFlag(contracts, pair, 'allowReserved'),
    ...compareFlag(contracts, pair, 'allowEmptyValue'),
    ...comparePartLife(contracts, pair),
    ...(hasContent ? compareContent(contracts, party, pair) : compareValues(contracts, party, pair)),
  ];
}

/** Compares the bodies of requests. */
export function compareRequestBodies(contracts: Contracts, party: Party, definitions: Pair<JsonRecord>): Difference[] {
  const bodies = resolvePair(contracts, {
    before: definitions.before['requestBody'],
    after: definitions.after['requestBody'],
  });
  const { before, after } = bodies;
  const [had, has] = [before, after].map(({ content }) => content !== undefined);
  if (!had && !has) return [];
  if (!had) {
    const rule = after['required'] === true ? 'required-body-added' : 'body-added';
    return [difference(contracts, rule, { after, is: necessity(after) })];
  }
  if (!has) return [difference(contracts, 'body-removed', { before, was: necessity(before) })];
  return [
    ...compareFlag(contracts, bodies, 'required'),
    ...compareSize(contracts, bodies),
    ...compareContent(contracts, party, bodies),
  ];
}

const SIZE = 'x-roster-max-body';

/** Compares the maximum sizes of bodies. */
function compareSize(contracts: Contracts, bodies: Pair<JsonRecord>): Difference[] {
  const [old, now] = [bodies.before[SIZE], bodies.after[SIZE]];
  if (old === now) return [];
  const bytes = (size: unknown) => (typeof size === 'number' ? size : Number.POSITIVE_INFINITY);
  const words = (size: unknown) => (size === undefined ? '' : `at most ${size} bytes`);
  const rule = bytes(now) < bytes(old) ? 'bound-tightened' : 'bound-loosened';
  const details = { ...bodies, was: words(old), is: words(now) };
  return [difference(contracts, rule, details, now === undefined ? '' : SIZE)];
}
