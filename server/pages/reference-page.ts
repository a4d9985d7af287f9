import type { Contract } from '../contract/document.js';
import { asRecord } from '../contract/json-record.js';
import { type ListedOperation, type OperationGroup, operationGroups } from './operation-groups.js';
import { escaped, page, paragraphs } from './page.js';
import { tour } from './tour.js';

/**
 * Renders the page `/docs`: a menu of operations, the guide, the tour, and the contract to read and
 * to try. The browser renders the operations from `/openapi.json`, with `browser/playground.ts`.
 * @param isLocal whether only this machine can reach the service; otherwise the page sends no
 *   requests
 */
export function referencePage(contract: Contract, isLocal: boolean): string {
  const groups = operationGroups(contract);
  const { title, version, summary, description } = asRecord(contract.document['info']);
  const links = groups.flatMap(({ operations }) =>
    operations.map(({ id, href }) => [id, href] as const),
  );
  return page({
    title: 'Reference',
    root: './',
    head: `<link rel="stylesheet" href="./docs/swagger-ui-theme.css">
<link rel="stylesheet" href="./docs/reference.css">
<script src="./docs/swagger-ui-bundle.js" defer></script>
<script src="./docs/playground.js" type="module"></script>
`,
    content: `<div class="columns">
<nav class="operations" id="menu" popover aria-label="Operations">
<label for="find" hidden>Find an operation</label>
<input type="search" id="find" hidden>
<a href="#tour">Tour</a>
${groups.map(group).join('\n')}
</nav>
<main class="guide" id="content">
<button class="menu" type="button" popovertarget="menu">Operations</button>
<h1>${escaped(`${title}`)} <small>${escaped(`${version}`)}</small></h1>
<p class="lead">${escaped(`${summary}`)}</p>
<p class="note" id="playground" hidden><strong>Try it out</strong> sends real requests to this service. If it has keys, press <strong>Authorize</strong> first: the key stays in this page, and is gone when the page is.</p>
<p class="note" id="read-only" hidden>Here the reference is to read only: requests are sent from this page only to a Roster that runs on your own machine. Start one with <code>npm start</code>, and open <code>http://127.0.0.1:4000/docs</code>.</p>
<details class="part"><summary><h2>Guide</h2> <span>what holds for every operation</span></summary>
${paragraphs(`${description}`)}
</details>
<details class="part" id="tour"><summary><h2>Tour</h2> <span>from an empty project to predictions</span></summary>
${tour(new Map(links))}
</details>
<h2>Operations</h2>
<noscript><p class="note">The operations are drawn by a script. Without one, read <a href="./openapi.yaml">openapi.yaml</a>, which they are made from.</p></noscript>
<div id="reference" data-service="${isLocal ? 'local' : 'remote'}"></div>
</main>
</div>`,
  });
}

function group({ tag, operations }: OperationGroup): string {
  return `<section>
<h2>${escaped(tag)}</h2>
<ul>
${operations.map(entry).join('\n')}
</ul>
</section>`;
}

function entry({ id, method, path, summary, href }: ListedOperation): string {
  return `<li data-find="${escaped(`${id} ${method} ${path} ${summary}`.toLowerCase())}"><a href="${href}"><span class="method ${method}">${METHOD_LABELS[method] ?? method.toUpperCase()}</span> ${escaped(summary)}</a></li>`;
}

/** Short labels, for a narrow column. */
const METHOD_LABELS: Readonly<Record<string, string>> = { delete: 'DEL' };
