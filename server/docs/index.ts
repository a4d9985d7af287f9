import { readFile } from 'node:fs/promises';
import { type RequestHandler, Router } from 'express';
import type { Contract } from '../contract/document.js';
import { problem } from '../problems/problem.js';
import { type Asset, serve } from './asset.js';
import { problemIndex, problemPage } from './problem-pages.js';
import { referencePage } from './reference-page.js';
import { contractAsJson } from './served-contract.js';
import { ICON, STYLE } from './style.js';

const ALLOW = 'GET, HEAD, OPTIONS';

/** Nothing but the service's own stylesheet and icon; nothing runs, and nobody frames it. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Swagger UI's images are part of its stylesheet, and what is tried goes to the service itself. */
const REFERENCE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Makes the routes of what the contract says for people: the reference at `/docs`, where it can be tried
 * as well if the service is local, the contract itself at `/openapi.yaml` and `/openapi.json`, and a page
 * for each problem at `/problems/<slug>`. They are open to all, as the contract is; nothing is read or made
 * before it is asked for.
 * @param basePath the prefix before every address of the contract, or ''
 * @param isLocal whether the service is there for this machine alone; else nothing is sent from its pages
 */
export function documentation(contract: Contract, basePath: string, isLocal: boolean): Router {
  const router = Router({ caseSensitive: true });
  const get = (path: string, ...handlers: RequestHandler[]) =>
    router
      .route(path)
      .get(...handlers)
      .options(answerOptions)
      .all(refuseOtherMethods);

  router.route('/').get(leadPeopleTo('/docs')).options(answerOptions);
  get('/docs', withoutSlash, serve(html(REFERENCE_POLICY, () => referencePage(contract, isLocal))));
  for (const [name, asset] of Object.entries(PARTS)) get(`/docs/${name}`, serve(asset));
  get('/openapi.yaml', serve({ type: 'application/yaml', read: () => contract.source }));
  get(
    '/openapi.json',
    serve({ type: 'application/json', read: () => contractAsJson(contract, basePath) }),
  );
  get(
    '/problems',
    withoutSlash,
    serve(html(PAGE_POLICY, () => problemIndex(contract.problems.values()))),
  );
  for (const [type, kind] of contract.problems) {
    get(type, withoutSlash, serve(html(PAGE_POLICY, () => problemPage(kind))));
  }
  return router;
}

/** What the reference is drawn with. No other file is served, whatever its address looks like. */
const PARTS: Readonly<Record<string, Asset>> = {
  'swagger-ui.css': swaggerUi('text/css', 'swagger-ui.css'),
  'swagger-ui-bundle.js': swaggerUi('text/javascript', 'swagger-ui-bundle.js'),
  'swagger-ui-bundle.js.LICENSE.txt': swaggerUi('text/plain', 'swagger-ui-bundle.js.LICENSE.txt'),
  'playground.js': ownScript('playground.js'),
  'drawn-contract.js': ownScript('drawn-contract.js'),
  'pages.css': { type: 'text/css', read: () => STYLE },
  'icon.svg': { type: 'image/svg+xml', read: () => ICON },
};

/** The build copies it from swagger-ui-dist. */
function swaggerUi(type: string, file: string): Asset {
  return { type, read: () => readFile(new URL(`./swagger-ui/${file}`, import.meta.url)) };
}

function ownScript(file: string): Asset {
  return {
    type: 'text/javascript',
    read: () => readFile(new URL(`./browser/${file}`, import.meta.url)),
  };
}

function html(policy: string, read: () => string): Asset {
  return { type: 'text/html', policy, read };
}

/** The links of a page are relative to its address, which therefore has one form. */
const withoutSlash: RequestHandler = (req, res, next) => {
  if (!req.path.endsWith('/')) return next();
  res.redirect(308, `${req.baseUrl}${req.path.slice(0, -1)}`);
};

/** A newcomer opens the root first; to programs it is an address like others that are not there. */
function leadPeopleTo(path: string): RequestHandler {
  return (req, res, next) => {
    res.vary('Accept');
    if (req.accepts(['json', 'html']) !== 'html') return next();
    res.redirect(302, `${req.baseUrl}${path}`);
  };
}

const answerOptions: RequestHandler = (_req, res) => {
  res.status(204).set('Allow', ALLOW).end();
};

const refuseOtherMethods: RequestHandler = ({ method }) => {
  throw problem(
    '/problems/method-not-allowed',
    `The method ${method} is not allowed here; use one of ${ALLOW}.`,
    {},
    { Allow: ALLOW },
  );
};
