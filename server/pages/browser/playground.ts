/** Runs in the browser on the page `/docs`, and renders the contract with Swagger UI. */
import { keepNamed } from './names.js';
import { type Layout, startMenu } from './operation-menu.js';
import {
  drawnContract,
  excerptResolved,
  foldedHeaders,
  operationsLayout,
  plainAddresses,
  withoutAuthorize,
} from './swagger-plugins.js';

interface Element {
  hidden: boolean;
  readonly dataset: Readonly<Record<string, string | undefined>>;
  readonly classList: { toggle(name: string, on: boolean): void };
}

interface MediaQuery {
  readonly matches: boolean;
  addEventListener(type: 'change', listener: () => void): void;
}

// The service is compiled without browser types, so that it cannot use them by mistake.
declare const document: {
  readonly documentElement: Element;
  querySelector(selector: string): Element | null;
};
declare const location: { readonly hostname: string };
declare function matchMedia(query: string): MediaQuery;
declare const SwaggerUIBundle: {
  (options: Readonly<Record<string, unknown>>): Layout;
  readonly presets: { readonly apis: unknown };
};

/** A service that listens on the loopback address may still be behind a public proxy. */
const isSeenHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(location.hostname);
const isLocal = isSeenHere && document.querySelector('#reference')?.dataset['service'] === 'local';

function followColours(dark: MediaQuery): void {
  document.documentElement.classList.toggle('dark-mode', dark.matches);
}

const dark = matchMedia('(prefers-color-scheme: dark)');
dark.addEventListener('change', () => followColours(dark));
followColours(dark);

const note = document.querySelector(isLocal ? '#playground' : '#read-only');
if (note) note.hidden = false;

keepNamed('#reference');
const layout = SwaggerUIBundle({
  url: './openapi.json',
  dom_id: '#reference',
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [
    drawnContract,
    excerptResolved,
    operationsLayout,
    foldedHeaders,
    plainAddresses,
    ...(isLocal ? [] : [withoutAuthorize]),
  ],
  layout: 'OperationsLayout',
  // Colours of their own would need contrast in light and dark.
  syntaxHighlight: { activated: false },
  ...(isLocal ? {} : { supportedSubmitMethods: [] }),
  // The key stays in the page's memory, and no third-party validator gets the contract.
  persistAuthorization: false,
  validatorUrl: null,
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
});
startMenu(layout);
