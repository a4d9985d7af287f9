/** Tests that the pages of the recipes show the modules that the other tests run. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '../../testkit/root.js';
import { type MarkdownPage, markdownPages } from '../docs/markdown.js';

const MAX_LINES = 40;

const modules = readdirSync(new URL('examples/recipes/', root)).map((file) => file.replace('.ts', ''));
const pages = new Map(markdownPages().map((page) => [page.path, page]));

function pageOf(path: string): MarkdownPage {
  const page = pages.get(path);
  if (page === undefined) throw new Error(`There is no page ${path}`);
  return page;
}

test.each(modules)('the page shows examples/recipes/%s.ts, in at most forty lines', (name) => {
  const code = readFileSync(new URL(`examples/recipes/${name}.ts`, root), 'utf8');
  const [shown] = pageOf(`docs/recipes/${name}.md`).blocks;
  expect(shown?.code, `copy examples/recipes/${name}.ts into the first block of the page`).toBe(code);
  const lines = code.split('\n').filter((line) => line.trim() !== '');
  expect(lines.length).toBeLessThanOrEqual(MAX_LINES);
});

test('the index lists each recipe, and nothing else', () => {
  const links = [...pageOf('docs/recipes/README.md').prose.matchAll(/\]\(([\w-]+)\.md\)/g)];
  expect(links.map(([, name]) => name).sort()).toEqual(modules.sort());
});
