import { STATUS_CODES } from 'node:http';
import type { ProblemKind } from '../../contract/document.js';

export interface Page {
  readonly title: string;
  /** The relative path from the page to the root of all pages: `./` for `/docs`, `../` for `/problems/name-taken`. */
  readonly root: './' | '../';
  readonly head?: string;
  /** The links at its top: those of the reference, or of the console, which leads to some pages. */
  readonly frame?: 'reference' | 'console';
  /** The HTML below the links at the top of every page. */
  readonly content: string;
}

/**
 * Renders a page as HTML. Its links are relative, so that they work under any prefix, even one that a proxy removes.
 */
export function renderPage({ title, root, head = '', frame = 'reference', content }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Roster</title>
<link rel="icon" href="${root}docs/icon.svg">
<link rel="stylesheet" href="${root}docs/pages.css">
${head}</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${frame === 'console' ? consoleHeader(root) : referenceHeader(root)}
${content}
</body>
</html>
`;
}

const referenceHeader = (root: string) => `<header>
<a class="name" href="${root}docs">Roster</a>
<nav aria-label="Roster">
<a href="${root}docs">Reference</a>
<a href="${root}connect">Connect</a>
<a href="${root}problems">Problems</a>
</nav>
<p class="contract">Contract: <a href="${root}openapi.yaml">openapi.yaml</a> · <a href="${root}openapi.json">openapi.json</a> · <a href="${root}openapi">versions</a></p>
</header>`;

/** The header of the console, without its choice of a project, which a page without a script cannot know. */
const consoleHeader = (root: string) => `<header class="console">
<a class="name" href="${root}"><img src="${root}docs/icon.svg" alt="" width="22" height="22"> Roster</a>
<nav aria-label="Console">
${['Models', 'Skills', 'Agents', 'Chatbots'].map((name) => `<a href="${root}#/projects/default/${name.toLowerCase()}">${name}</a>`).join('\n')}
</nav>
<nav class="aside" aria-label="Service">
<a href="${root}#/key">Key</a>
<a href="${root}connect" aria-current="page">Connect</a>
<a href="${root}docs">Reference</a>
</nav>
</header>`;

export function escapeHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

/** Renders the contract's prose as HTML: its paragraphs, code in backquotes, and bold words. */
export function renderProse(prose: string): string {
  return prose
    .trim()
    .split(/\n\n+/)
    .map((paragraph) => `<p>${renderInline(paragraph)}</p>`)
    .join('\n');
}

/** Renders code in backquotes, and bold words. */
export function renderInline(text: string): string {
  return escapeHtml(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');
}

/** Renders the page `/problems/<slug>`: the cause of a problem, and how to fix it. */
export function renderProblem({ title, status, type, description }: ProblemKind): string {
  return renderPage({
    title,
    root: '../',
    content: `<main class="text" id="content">
<h1>${escapeHtml(title)}</h1>
<p class="kind">Status ${describeStatus(status)} · <code>${escapeHtml(type)}</code></p>
${renderProse(description)}
<p class="on"><a href="../problems">All problems</a></p>
</main>`,
  });
}

export function renderProblems(kinds: Iterable<ProblemKind>): string {
  const byStatus = [...kinds].sort((a, b) => a.status - b.status || (a.title < b.title ? -1 : 1));
  const sections = [...new Set(byStatus.map(({ status }) => status))].map((status) => {
    const entries = byStatus.filter((kind) => kind.status === status).map(renderEntry);
    return `<h2>${describeStatus(status)}</h2>\n<dl>\n${entries.join('\n')}\n</dl>`;
  });
  return renderPage({
    title: 'Problems',
    root: './',
    content: `<main class="text" id="content">
<h1>Problems</h1>
<p>The service answers with one of these when something is wrong (<a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457</a>). The <code>type</code> of an answer leads to its page here, which says how to fix it.</p>
${sections.join('\n')}
</main>`,
  });
}

function renderEntry({ type, title, description }: ProblemKind): string {
  const [whatHappened = ''] = description.trim().split(/\n\n+/);
  return `<dt><a href=".${escapeHtml(type)}">${escapeHtml(title)}</a></dt>\n<dd>${renderProse(whatHappened)}</dd>`;
}

function describeStatus(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? ''}`.trim();
}
