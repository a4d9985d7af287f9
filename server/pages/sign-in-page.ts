import type { RequestHandler } from 'express';
import type { SignIn } from '../auth/identities.js';
import { escapeHtml, renderPage } from './page.js';

/**
 * Serves the page that signs a browser in, for the console of the same tab. It may send the code to the issuer, and
 * ask the service who came of it; what it allows is of this answer, since the issuer may move.
 */
export function serveSignIn({ issuer, id, scope, findEndpoints }: SignIn): RequestHandler {
  return async (_req, res) => {
    const { authorization, token } = await findEndpoints();
    const facts = { authorization, token, issuer, client: id, scope };
    const data = Object.entries(facts).map(([name, value]) => `data-${name}="${escapeHtml(value)}"`);
    const page = renderPage({
      title: 'Sign in',
      root: './',
      head: '<script type="module" src="./docs/sign-in.js"></script>\n',
      content: `<main class="text" id="content" ${data.join(' ')}>
<h1>Sign in</h1>
<p role="status">One moment: ${escapeHtml(new URL(authorization).host)} asks who you are.</p>
<p><a href="./">Back to the console</a></p>
<noscript><p>Signing in needs JavaScript.</p></noscript>
</main>`,
    });
    const policy = `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' ${new URL(token).origin}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
    res.set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-store' });
    res.type('html').send(page);
  };
}
