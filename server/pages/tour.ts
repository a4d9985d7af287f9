import { TOUR } from '../../generated/tour.js';
import { escaped } from './page.js';

type Step = (typeof TOUR)[number];

/**
 * Renders the steps of the tour, each linked to its operation.
 * @param links the links to the operations, by operationId
 */
export function tour(links: ReadonlyMap<string, string>): string {
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
