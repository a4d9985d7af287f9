import type { Contract } from '../contract/document.js';
import { asRecord } from '../contract/json-record.js';
import { escaped, page } from './page.js';

/**
 * Renders the page `/docs`: the contract to read and to try. The browser renders its content from
 * `/openapi.json`, with `browser/playground.ts`.
 * @param isLocal whether only this machine can reach the service; otherwise the page sends no
 *   requests
 */
export function referencePage(contract: Contract, isLocal: boolean): string {
  return page({
    title: 'Reference',
    root: './',
    head: `<link rel="stylesheet" href="./docs/swagger-ui.css">
<script src="./docs/swagger-ui-bundle.js" defer></script>
<script src="./docs/playground.js" type="module"></script>
`,
    content: `<nav class="tags" aria-label="Operations">Operations of ${linksToTags(contract)}</nav>
<p class="note" id="playground" hidden><strong>Try it out</strong> sends real requests to this service. If it has keys, press <strong>Authorize</strong> first: the key stays in this page, and is gone when the page is.</p>
<p class="note" id="read-only" hidden>Here the reference is to read only: requests are sent from this page only to a Roster that runs on your own machine. Start one with <code>npm start</code>, and open <code>http://127.0.0.1:4000/docs</code>.</p>
<noscript><p class="note">The reference is drawn by a script. Without one, read <a href="./openapi.yaml">openapi.yaml</a>, which it is made from.</p></noscript>
<div id="reference" data-service="${isLocal ? 'local' : 'remote'}"></div>`,
  });
}

/** Renders links past the contract's long introduction. The ids are Swagger UI's. */
function linksToTags({ document }: Contract): string {
  const tags = Array.isArray(document['tags']) ? document['tags'] : [];
  return tags
    .map((tag) => escaped(String(asRecord(tag)['name'])))
    .map((name) => `<a href="#operations-tag-${name}">${name}</a>`)
    .join(' · ');
}
