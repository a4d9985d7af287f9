import { readFileSync } from 'node:fs';
import { escapeHtml, renderInline, renderPage } from './page.js';

/**
 * Renders the page `/connect` from `docs/agents/hosts.md`, which `npm run build` copies: what to paste into each host. Its
 * script puts in the address and the project.
 */
export function renderHosts(): string {
  const markdown = readFileSync(new URL('./files/hosts.md', import.meta.url), 'utf8');
  return renderPage({
    title: 'Connect',
    root: './',
    frame: 'console',
    head: '<script type="module" src="./docs/connect.js"></script>\n',
    content: `<main class="text" id="content">\n${renderMarkdown(markdown)}\n</main>`,
  });
}

// bounded: a page of docs/
const FENCE = /^```\w*\n([\s\S]*?)^```$/gm;

/** Renders headings, paragraphs, links and code, which is all that the page has. */
function renderMarkdown(markdown: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const { index, 0: fence, 1: code = '' } of markdown.matchAll(FENCE)) {
    parts.push(renderBlocks(markdown.slice(at, index)));
    parts.push(`<pre><code>${escapeHtml(code.trimEnd())}</code></pre>`);
    at = index + fence.length;
  }
  return [...parts, renderBlocks(markdown.slice(at))].join('\n');
}

function renderBlocks(markdown: string): string {
  const blocks = markdown.split(/\n{2,}/).map((block) => block.trim());
  return blocks
    .filter((block) => block !== '')
    .map((block) => {
      const [, marks = '', heading] = /^(#{1,2}) (.*)$/.exec(block) ?? [];
      if (heading === undefined) return `<p>${renderLinks(block)}</p>`;
      const id = heading.toLowerCase().replaceAll(' ', '-');
      return `<h${marks.length} id="${escapeHtml(id)}">${escapeHtml(heading)}</h${marks.length}>`;
    })
    .join('\n');
}

/** Links to other files of the documentation are left as words: the service does not have them. */
function renderLinks(text: string): string {
  return renderInline(text).replace(
    // bounded: a page of docs/
    /\[([^\]]+)\]\(([^)]+)\)/g,
    (_, words: string, target: string) => (/^(https:|#)/.test(target) ? `<a href="${target}">${words}</a>` : words),
  );
}
