import type { Contract } from '../../contract/document.js';
import { asRecord } from '../../contract/json-record.js';
import { TOUR } from '../../generated/tour.js';
import { escapeHtml, renderPage, renderProse } from './page.js';

/**
 * Renders the page `/docs`: a menu of operations, the guide, the tour, and the contract to read and to try. The browser
 * renders the operations from `/openapi.json`, with `browser/playground.ts`.
 * @param isLocal whether only this machine can reach the service; otherwise the page sends no requests
 */
export function renderReference(contract: Contract, isLocal: boolean): string {
  const groups = groupOperations(contract);
  const { title, version, summary, description } = asRecord(contract.document['info']);
  const links = groups.flatMap(({ operations }) => operations.map(({ id, href }) => [id, href] as const));
  return renderPage({
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
${groups.map(renderGroup).join('\n')}
</nav>
<main class="guide" id="content">
<button class="menu" type="button" popovertarget="menu">Operations</button>
<h1>${escapeHtml(`${title}`)} <small>${escapeHtml(`${version}`)}</small></h1>
<p class="lead">${escapeHtml(`${summary}`)}</p>
<p class="note" id="playground" hidden><strong>Try it out</strong> sends real requests to this service. If it has keys, press <strong>Authorize</strong> first: the key stays in this page, and is gone when the page is.</p>
<p class="note" id="read-only" hidden>Here the reference is to read only: requests are sent from this page only to a Roster that runs on your own machine. Start one with <code>npm start</code>, and open <code>http://127.0.0.1:4000/docs</code>.</p>
<details class="part"><summary><h2>Guide</h2> <span>what holds for every operation</span></summary>
${renderProse(`${description}`)}
</details>
<details class="part" id="tour"><summary><h2>Tour</h2> <span>from an empty project to predictions</span></summary>
${renderTour(new Map(links))}
</details>
<h2>Operations</h2>
<noscript><p class="note">The operations are drawn by a script. Without one, read <a href="./openapi.yaml">openapi.yaml</a>, which they are made from.</p></noscript>
<div id="reference" data-service="${isLocal ? 'local' : 'remote'}"></div>
</main>
</div>`,
  });
}

function renderGroup({ tag, operations }: OperationGroup): string {
  const entries = operations.map(({ id, method, path, summary, href }) => {
    const words = escapeHtml(`${id} ${method} ${path} ${summary}`.toLowerCase());
    // Short, for a narrow column.
    const label = method === 'delete' ? 'DEL' : method.toUpperCase();
    return `<li data-find="${words}"><a href="${href}"><span class="method ${method}">${label}</span> ${escapeHtml(summary)}</a></li>`;
  });
  return `<section>
<h2>${escapeHtml(tag)}</h2>
<ul>
${entries.join('\n')}
</ul>
</section>`;
}

type OperationGroup = ReturnType<typeof groupOperations>[number];

/** Returns the operations by tag, in the order of the contract, each with its link, which Swagger UI reads. */
function groupOperations({ document, operations }: Contract) {
  const tags = Array.isArray(document['tags']) ? document['tags'] : [];
  const listed = operations.map(({ id, method, path }) => {
    const definition = asRecord(asRecord(document.paths[path])[method]);
    const [tag] = Array.isArray(definition['tags']) ? definition['tags'] : [];
    const summary = String(definition['summary']);
    return { id, method, path, summary, tag, href: `#/${tag}/${id}` };
  });
  return tags
    .map((tag) => String(asRecord(tag)['name']))
    .map((tag) => ({ tag, operations: listed.filter((operation) => operation.tag === tag) }));
}

/**
 * Renders the steps of the tour, each linked to its operation.
 * @param links the links to the operations, by operationId
 */
function renderTour(links: ReadonlyMap<string, string>): string {
  const steps = TOUR.map(({ description, operationId, method, address, headers, body, status }) => {
    const lines = [...headers, ...(body === null ? [] : ['', body])];
    return `<li>
<h3>${escapeHtml(description)}</h3>
<p><a href="${links.get(operationId)}"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(address)}</code></a> answers ${status}</p>
${lines.length > 0 ? `<pre>${escapeHtml(lines.join('\n'))}</pre>` : ''}
</li>`;
  });
  return `<ol class="tour">\n${steps.join('\n')}\n</ol>`;
}
