import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asArray, asRecord } from '../../contract/json-record.js';
import { RELEASES, releasedContracts } from '../../contract/versions.js';
import { type Contract, readContract, texts } from './contract.js';
import { code, MARKDOWN, plain } from './markdown.js';
import { listOperations } from './operations.js';
import { breaksIn, count, writeSections } from './report.js';
import { reviewContracts } from './review.js';

const FILE = join(RELEASES, 'CHANGELOG.md');

/**
 * Writes the changelog of the released contracts.
 * @param check to compare it with the file instead
 * @returns what was done, and whether the file is now up to date
 * @throws {VersionError | ContractFault} if a released contract cannot be read
 */
export function writeChangelog(check: boolean): { message: string; upToDate: boolean } {
  const releases = readReleases();
  if (releases.length === 0) {
    return { message: `no contract is released yet: ${RELEASES} has none`, upToDate: true };
  }
  const text = formatChangelog(releases);
  const isStale = !existsSync(FILE) || readFileSync(FILE, 'utf8') !== text;
  if (isStale && check) {
    return { message: `${FILE} is not up to date: npm run spec:review -- --changelog`, upToDate: false };
  }
  if (isStale) writeFileSync(FILE, text);
  return { message: `${FILE} is up to date`, upToDate: true };
}

/**
 * Formats the changelog of the released contracts as Markdown, the newest first: the operations of the first
 * version, and the review of each other against the one before.
 */
function formatChangelog(releases: readonly Release[]): string {
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
  const review = reviewContracts({ before, after });
  const broken = breaksIn(review);
  const breaks = broken === 0 ? 'nothing breaks' : count(broken, 'breaking change');
  return [
    `Compared with ${before.version}: ${breaks}, ${count(review.added.length, 'addition')}.`,
    ...writeSections(review, MARKDOWN),
  ];
}

function operations(contract: Contract): string[] {
  const byTag = new Map<string, string[]>();
  const declared = asArray(contract.document['tags']).map((tag) => asRecord(tag)['name']);
  for (const tag of texts(declared)) byTag.set(tag, []);
  for (const { name, method, path, definition } of listOperations(contract)) {
    const [tag = 'other'] = texts(definition['tags']);
    const [summary] = texts([definition['summary']]);
    const line = `- ${code(name)} ${code(`${method} ${path}`)}${summary ? `: ${plain(summary)}` : ''}`;
    byTag.set(tag, [...(byTag.get(tag) ?? []), line]);
  }
  const groups = [...byTag].filter(([, lines]) => lines.length > 0);
  return ['The first version.', ...groups.flatMap(([tag, lines]) => ['', `### ${plain(tag)}`, '', ...lines])];
}

export interface Release {
  readonly contract: Contract;
  /** The day, as `2026-11-23`; undefined if the changelog does not say it. */
  readonly date: string | undefined;
}

/**
 * Reads the released contracts, in the order of their versions. Dates are those of the headings of
 * `CHANGELOG.md`: `## 0.1.0, 2026-11-23`.
 * @throws {VersionError | ContractFault} if one cannot be read, or has another version than its file is named after
 */
function readReleases(): Release[] {
  const dates = datesIn(existsSync('CHANGELOG.md') ? readFileSync('CHANGELOG.md', 'utf8') : '');
  return releasedContracts(RELEASES).map(({ version, source }) => {
    const date = dates.get(version);
    return { contract: readContract(source, join(RELEASES, `${version}.yaml`), { day: date }), date };
  });
}

function datesIn(changelog: string): ReadonlyMap<string, string> {
  const headings = changelog.matchAll(/^## (\S+), (\d{4}-\d{2}-\d{2})$/gm);
  return new Map([...headings].map(([, version = '', date = '']) => [version, date]));
}
