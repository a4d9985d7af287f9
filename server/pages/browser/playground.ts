/** Runs in the browser on the page `/docs`, and renders the contract with Swagger UI. */
import { type Contract, drawn } from './drawn-contract.js';

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
  (options: Readonly<Record<string, unknown>>): void;
  readonly presets: { readonly apis: unknown };
};

/** A service that listens on the loopback address may still be behind a public proxy. */
const isSeenHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(location.hostname);
const isLocal = isSeenHere && document.querySelector('#reference')?.dataset['service'] === 'local';

const ofDrawn = {
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (update: (contract: Contract) => unknown) => (contract: Contract) =>
          update(drawn(contract)),
      },
    },
  },
};

const nothing = () => () => null;
/** The page already links to the contract. */
const withoutAddress = { wrapComponents: { InfoUrl: nothing } };
const withoutAuthorize = {
  wrapComponents: { authorizeBtn: nothing, authorizeOperationBtn: nothing },
};

function followColours(dark: MediaQuery): void {
  document.documentElement.classList.toggle('dark-mode', dark.matches);
}

const dark = matchMedia('(prefers-color-scheme: dark)');
dark.addEventListener('change', () => followColours(dark));
followColours(dark);

const note = document.querySelector(isLocal ? '#playground' : '#read-only');
if (note) note.hidden = false;

SwaggerUIBundle({
  url: './openapi.json',
  dom_id: '#reference',
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [ofDrawn, withoutAddress, ...(isLocal ? [] : [withoutAuthorize])],
  ...(isLocal ? {} : { supportedSubmitMethods: [] }),
  // The key stays in the page's memory, and no third-party validator gets the contract.
  persistAuthorization: false,
  validatorUrl: null,
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
});
