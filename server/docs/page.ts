/** What a page is made of. */
export interface Page {
  readonly title: string;
  /** The way from the page's address to where all pages begin: `./` for `/docs`, `../` for `/problems/name-taken`. */
  readonly root: './' | '../';
  /** The HTML of the head, beside that of every page. */
  readonly head?: string;
  /** The HTML below the links that every page begins with. */
  readonly content: string;
}

/**
 * Makes a page, as HTML. Its links are relative, so that they lead on under any prefix, also one that a
 * proxy takes away.
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
${head}<link rel="stylesheet" href="${root}docs/pages.css">
</head>
<body>
<header>
<a class="name" href="${root}docs">Roster</a>
<nav aria-label="Roster">
<a href="${root}docs">Reference</a>
<a href="${root}problems">Problems</a>
<a href="${root}openapi.yaml">openapi.yaml</a>
<a href="${root}openapi.json">openapi.json</a>
</nav>
</header>
${content}
</body>
</html>
`;
}

/** Text as HTML shows it. */
export function escaped(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;');
}

/** The contract's prose as HTML: its paragraphs, and what stands in backquotes. */
export function paragraphs(prose: string): string {
  return prose
    .trim()
    .split(/\n\n+/)
    .map((paragraph) => `<p>${withCode(paragraph)}</p>`)
    .join('\n');
}

function withCode(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}
