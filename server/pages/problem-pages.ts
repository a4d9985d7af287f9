import { STATUS_CODES } from 'node:http';
import type { ProblemKind } from '../contract/document.js';
import { escaped, page, paragraphs } from './page.js';

/** Renders the page `/problems/<slug>`: the cause of a problem, and how to fix it. */
export function problemPage({ title, status, type, description }: ProblemKind): string {
  return page({
    title,
    root: '../',
    content: `<main class="text" id="content">
<h1>${escaped(title)}</h1>
<p class="kind">Status ${statusOf(status)} · <code>${escaped(type)}</code></p>
${paragraphs(description)}
<p class="on"><a href="../problems">All problems</a></p>
</main>`,
  });
}

/** Renders the page `/problems`: all problems, ordered by status. */
export function problemIndex(kinds: Iterable<ProblemKind>): string {
  const byStatus = [...kinds].sort((a, b) => a.status - b.status || (a.title < b.title ? -1 : 1));
  const statuses = new Set(byStatus.map(({ status }) => status));
  const sections = [...statuses].map((status) => {
    const entries = byStatus.filter((kind) => kind.status === status).map(entry);
    return `<h2>${statusOf(status)}</h2>\n<dl>\n${entries.join('\n')}\n</dl>`;
  });
  return page({
    title: 'Problems',
    root: './',
    content: `<main class="text" id="content">
<h1>Problems</h1>
<p>The service answers with one of these when something is wrong (<a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457</a>). The <code>type</code> of an answer leads to its page here, which says how to fix it.</p>
${sections.join('\n')}
</main>`,
  });
}

function entry({ type, title, description }: ProblemKind): string {
  const [whatHappened = ''] = description.trim().split(/\n\n+/);
  return `<dt><a href=".${escaped(type)}">${escaped(title)}</a></dt>\n<dd>${paragraphs(whatHappened)}</dd>`;
}

function statusOf(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? ''}`.trim();
}
