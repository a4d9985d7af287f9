import { TOUR } from '../../generated/tour.js';
import type { Contract } from '../contract/document.js';
import { asRecord, type JsonRecord } from '../contract/json-record.js';
import { escaped, page, paragraphs } from './page.js';

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
${renderTour(new Map(links))}
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

interface OperationGroup {
  readonly tag: string;
  readonly operations: readonly ListedOperation[];
}

interface ListedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** The link to the operation in the reference. Swagger UI reads it. */
  readonly href: string;
}

/** Returns the operations by tag, in the order of the contract. */
function operationGroups({ document, operations }: Contract): OperationGroup[] {
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

type Step = (typeof TOUR)[number];

/**
 * Renders the steps of the tour, each linked to its operation.
 * @param links the links to the operations, by operationId
 */
function renderTour(links: ReadonlyMap<string, string>): string {
  return `<ol class="tour">\n${TOUR.map((step) => item(step, links)).join('\n')}\n</ol>`;
}

function item(step: Step, links: ReadonlyMap<string, string>): string {
  const { description, operationId, method, address, headers, body, status } = step;
  const lines = [...headers, ...(body === null ? [] : ['', body])];
  return `<li>
<h3>${escaped(description)}</h3>
<p><a href="${links.get(operationId)}"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escaped(address)}</code></a> answers ${status}</p>
${lines.length > 0 ? `<pre>${escaped(lines.join('\n'))}</pre>` : ''}
</li>`;
}

/**
 * Returns the contract as JSON for this service: as in the file, but with all `servers` behind its base
 * path. The file itself describes a service without a base path.
 */
export function contractAsJson({ document }: Contract, basePath: string): string {
  const paths = Object.entries(document.paths).map(([path, item]) => [
    path,
    behind(basePath, item),
  ]);
  return JSON.stringify({ ...behind(basePath, document), paths: Object.fromEntries(paths) });
}

/** Returns the document or a path item, whose servers are behind the base path. */
function behind(basePath: string, part: JsonRecord): JsonRecord {
  const { servers } = part;
  if (!Array.isArray(servers)) return part;
  return { ...part, servers: servers.map((server) => serverBehind(basePath, server)) };
}

function serverBehind(basePath: string, server: unknown): JsonRecord {
  const { url, ...others } = asRecord(server);
  return { url: basePath && url === '/' ? basePath : `${basePath}${url}`, ...others };
}
