/** Tests that the links of the documentation lead somewhere, and that a newcomer finds few pages and working commands. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, normalize } from 'node:path';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { root } from '../../testkit/root.js';
import { type MarkdownPage, markdownPages } from './markdown.js';

/** The pages of users; more than ten do not fit on a screen. */
const MAX_PAGES = 10;

const pages = new Map(markdownPages().map((page) => [page.path, page]));

/** The identifiers that GitHub gives the headings of a page. */
function anchorsOf({ prose }: MarkdownPage): Set<string> {
  const headings = [...prose.matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function findFault(from: string, link: string): string | undefined {
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? from : normalize(`${dirname(from)}/${file}`);
  if (!existsSync(new URL(path, root))) return 'no such file';
  const page = pages.get(path);
  if (anchor === undefined || page === undefined || anchorsOf(page).has(anchor)) return undefined;
  return 'no such heading';
}

test('every link of a page leads to a file, and to a heading of it', () => {
  const faults = [...pages.values()].flatMap(({ path, prose }) =>
    [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
      if (/^\w+:/.test(link)) return [];
      const fault = findFault(path, link);
      return fault === undefined ? [] : [`${path}: ${link}: ${fault}`];
    }),
  );
  expect(faults).toEqual([]);
});

test('docs/ has at most ten pages at its top, and its index links to each', () => {
  const index = pages.get('docs/README.md')?.prose ?? '';
  const names = readdirSync(new URL('docs', root)).filter((name) => name.endsWith('.md'));
  expect(names.length).toBeLessThanOrEqual(MAX_PAGES);
  expect(names.filter((name) => name !== 'README.md' && !index.includes(`](${name})`))).toEqual([]);
});

test('the guide says for each release what to heed while instances are upgraded to it', () => {
  const releases = readdirSync(new URL('docs/contract', root)).flatMap((name) => {
    return /^(\d+\.\d+\.\d+)\.yaml$/.exec(name)?.[1] ?? [];
  });
  const inOrder = releases.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const upgrades = inOrder.slice(1).map((release, index) => `${inOrder[index]} → ${release}`);
  const rows = [...(pages.get('docs/operation.md')?.prose ?? '').matchAll(/^\| (\S+ → \S+) \|/gm)].map(
    ([, row]) => row,
  );
  expect(upgrades.length).toBeGreaterThan(0);
  expect(rows.filter((row) => row !== 'from → to')).toEqual(upgrades);
});

test('CI runs every command of the README', () => {
  // CI runs every script of package.json, as another test shows.
  const run = [readFileSync(new URL('.ci/run', root), 'utf8'), ...Object.values(packageJson.scripts)].join('\n');
  const { blocks = [], prose = '' } = pages.get('README.md') ?? {};
  const lines = blocks.flatMap(({ code }) => code.trim().split('\n'));
  const commands = [
    ...lines.flatMap((line) => line.replace(/ +# .*/, '').split(' && ')),
    ...[...prose.matchAll(/`(np[mx] [^`]+)`/g)].map(([, command = '']) => command),
  ];
  expect(commands.length).toBeGreaterThan(5);
  expect(commands.filter((command) => !run.includes(command))).toEqual([]);
});
