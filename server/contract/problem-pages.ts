import type { RequestHandler } from 'express';
import type { Contract, ProblemKind } from './document.js';

/** Answers `/problems/:slug` with a page for people: what happened, and how to mend it. */
export function problemPages({ problems }: Contract): RequestHandler<{ slug: string }> {
  return (req, res, next) => {
    const kind = problems.get(`/problems/${req.params.slug}`);
    if (!kind) return next();
    res
      .set(
        'Content-Security-Policy',
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      )
      .type('html')
      .send(page(kind));
  };
}

function page({ title, status, type, description }: ProblemKind): string {
  const paragraphs = description
    .trim()
    .split(/\n\n+/)
    .map((paragraph) => `<p>${markup(paragraph)}</p>`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${markup(title)} · Roster</title>
<style>
  body { max-width: 36rem; margin: 4rem auto; padding: 0 1rem; font: 1.0625rem/1.6 system-ui, sans-serif; color: #1d2733; background: #fff }
  h1 { font-size: 1.75rem; line-height: 1.25; margin-bottom: .25rem }
  .kind { color: #5b6675; margin-top: 0 }
  code { font: .9375em ui-monospace, monospace; background: #eef1f4; border-radius: .25rem; padding: .1em .3em }
  @media (prefers-color-scheme: dark) {
    body { color: #dfe5ec; background: #14191f }
    .kind { color: #96a2b0 }
    code { background: #232b34 }
  }
</style>
<h1>${markup(title)}</h1>
<p class="kind">Status ${status} · <code>${markup(type)}</code></p>
${paragraphs.join('\n')}
</html>
`;
}

/** Escapes text for HTML, and renders the contract's `code`. */
function markup(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/`([^`]+)`/g, '<code>$1</code>');
}
