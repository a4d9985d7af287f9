export interface Page {
  readonly title: string;
  /**
   * The relative path from the page to the root of all pages: `./` for `/docs`, `../` for
   * `/problems/name-taken`.
   */
  readonly root: './' | '../';
  /** The HTML to add to the head. */
  readonly head?: string;
  /** The HTML below the links at the top of every page. */
  readonly content: string;
}

/**
 * Renders a page as HTML. Its links are relative, so that they work under any prefix, even one that
 * a proxy removes.
 */
export function page({ title, root, head = '', content }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · Roster</title>
<link rel="icon" href="${root}docs/icon.svg">
<link rel="stylesheet" href="${root}docs/pages.css">
${head}</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="name" href="${root}docs">Roster</a>
<nav aria-label="Roster">
<a href="${root}docs">Reference</a>
<a href="${root}problems">Problems</a>
</nav>
<p class="contract">Contract: <a href="${root}openapi.yaml">openapi.yaml</a> · <a href="${root}openapi.json">openapi.json</a> · <a href="${root}openapi">versions</a></p>
</header>
${content}
</body>
</html>
`;
}

export function escaped(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;');
}

/** Renders the contract's prose as HTML: its paragraphs, code in backquotes, and bold words. */
export function paragraphs(prose: string): string {
  return prose
    .trim()
    .split(/\n\n+/)
    .map((paragraph) => `<p>${withMarks(paragraph)}</p>`)
    .join('\n');
}

function withMarks(text: string): string {
  return escaped(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');
}
