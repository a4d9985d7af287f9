import { asRecord } from '../../../server/contract/json-record.js';
import { type Contract, elements, texts } from '../contract/contract.js';
import { breaksIn, sectionsOf } from '../markdown/sections.js';
import { code, count, plain } from '../markdown/words.js';
import { operationsOf } from '../operation/operations.js';
import { reviewOf } from '../review.js';
import type { Release } from './releases.js';

/**
 * Formats the changelog of the released contracts as Markdown, the newest first: the operations of the first
 * version, and the review of each other against the one before.
 */
export function changelogOf(releases: readonly Release[]): string {
  const sections = releases.map(({ contract, date }, index) => {
    const before = releases[index - 1]?.contract;
    const heading = `## ${contract.version}${date ? ` (${date})` : ''}`;
    return ['', heading, '', ...(before ? changes(before, contract) : operations(contract))];
  });
  const lines = [
    '# Changes of the contract',
    '',
    'Made by `npm run spec:review -- --changelog` from the contracts in this folder. Do not edit it.',
    ...sections.reverse().flat(),
  ];
  return `${lines.join('\n')}\n`;
}

function changes(before: Contract, after: Contract): string[] {
  const review = reviewOf({ before, after });
  const broken = breaksIn(review);
  const breaks = broken === 0 ? 'nothing breaks' : count(broken, 'breaking change');
  return [
    `Compared with ${before.version}: ${breaks}, ${count(review.added.length, 'addition')}.`,
    ...sectionsOf(review),
  ];
}

function operations(contract: Contract): string[] {
  const byTag = new Map<string, string[]>();
  const declared = elements(contract.document['tags']).map((tag) => asRecord(tag)['name']);
  for (const tag of texts(declared)) byTag.set(tag, []);
  for (const { name, method, path, definition } of operationsOf(contract)) {
    const [tag = 'other'] = texts(definition['tags']);
    const [summary] = texts([definition['summary']]);
    const line = `- ${code(name)} ${code(`${method} ${path}`)}${summary ? `: ${plain(summary)}` : ''}`;
    byTag.set(tag, [...(byTag.get(tag) ?? []), line]);
  }
  const groups = [...byTag].filter(([, lines]) => lines.length > 0);
  return [
    'The first version.',
    ...groups.flatMap(([tag, lines]) => ['', `### ${plain(tag)}`, '', ...lines]),
  ];
}
