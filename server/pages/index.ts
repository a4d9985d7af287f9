import { readFile } from 'node:fs/promises';
import { type RequestHandler, Router } from 'express';
import type { Contract } from '../contract/document.js';
import { problem } from '../problems/problem.js';
import { type Asset, serve } from './asset.js';
import { CONSOLE_FILES, CONSOLE_PAGE } from './console.js';
import {
  contractFiles,
  noSuchContractFile,
  readContractVersions,
  versionsPage,
} from './contract-versions.js';
import { problemIndex, problemPage } from './problem-pages.js';
import { contractAsJson, referencePage } from './reference-page.js';

const ALLOW = 'GET, HEAD, OPTIONS';

/** Allows only the service's own stylesheet and icon; no scripts, and no framing. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Swagger UI's images are part of its stylesheet, and requests from the page go to the service
 * itself.
 */
const REFERENCE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Returns the routes of the pages: the console at `/`, the reference at `/docs`, the contract at
 * `/openapi.yaml` and `/openapi.json`, its versions at `/openapi`, and a page for each problem at `/problems/<slug>`. They need
 * no key; each file is read or rendered at its first request.
 * @param basePath the prefix before every address of the contract, or ''
 * @param isLocal whether only this machine can reach the service; otherwise the reference sends no
 *   requests
 */
export function pages(contract: Contract, basePath: string, isLocal: boolean): Router {
  const router = Router({ caseSensitive: true });
  const get = (path: string, ...handlers: RequestHandler[]) =>
    router
      .route(path)
      .get(...handlers)
      .options(answerOptions)
      .all(refuseOtherMethods);

  router.route('/').get(browsersOnly(basePath), serve(CONSOLE_PAGE)).options(answerOptions);
  for (const [name, asset] of CONSOLE_FILES) get(`/console/${name}`, serve(asset));
  get('/docs', withoutSlash, serve(html(REFERENCE_POLICY, () => referencePage(contract, isLocal))));
  for (const [name, asset] of Object.entries(PARTS)) get(`/docs/${name}`, serve(asset));
  get('/openapi.yaml', serve({ type: 'application/yaml', read: () => contract.source }));
  get(
    '/openapi.json',
    serve({ type: 'application/json', read: () => contractAsJson(contract, basePath) }),
  );
  const versions = readContractVersions();
  get('/openapi', withoutSlash, serve(html(PAGE_POLICY, () => versionsPage(versions))));
  for (const [name, asset] of contractFiles(versions)) get(`/openapi/${name}`, serve(asset));
  router.all('/openapi/:name', ({ params: { name } }) => {
    throw problem('/problems/unknown-address', noSuchContractFile(name, versions));
  });
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

/** The files of the reference. No other file is served, whatever the address. */
const PARTS: Readonly<Record<string, Asset>> = {
  'swagger-ui.css': swaggerUi('text/css', 'swagger-ui.css'),
  'swagger-ui-bundle.js': swaggerUi('text/javascript', 'swagger-ui-bundle.js'),
  'swagger-ui-bundle.js.LICENSE.txt': swaggerUi('text/plain', 'swagger-ui-bundle.js.LICENSE.txt'),
  'playground.js': ownScript('playground.js'),
  'drawn-contract.js': ownScript('drawn-contract.js'),
  'swagger-plugins.js': ownScript('swagger-plugins.js'),
  'contract-excerpt.js': ownScript('contract-excerpt.js'),
  'operation-menu.js': ownScript('operation-menu.js'),
  'names.js': ownScript('names.js'),
  'swagger-ui-theme.css': ownFile('text/css', 'swagger-ui-theme.css'),
  'reference.css': ownFile('text/css', 'reference.css'),
  'pages.css': ownFile('text/css', 'pages.css'),
  'icon.svg': ownFile('image/svg+xml', 'icon.svg'),
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

/** The build copies it. */
function ownFile(type: string, file: string): Asset {
  return { type, read: () => readFile(new URL(`./files/${file}`, import.meta.url)) };
}

function html(policy: string, read: () => string): Asset {
  return { type: 'text/html', policy, read };
}

/** The links of a page are relative, so each page has exactly one address. */
const withoutSlash: RequestHandler = (req, res, next) => {
  if (!req.path.endsWith('/')) return next();
  res.redirect(308, `${req.baseUrl}${req.path.slice(0, -1)}`);
};

/**
 * Returns a middleware that lets browsers pass to the console; for programs the root is an unknown
 * address. The console's links are relative to `<base path>/`, so it has this one address.
 */
function browsersOnly(basePath: string): RequestHandler {
  return (req, res, next) => {
    res.vary('Accept');
    if (req.accepts(['json', 'html']) !== 'html') return next('route');
    const [path] = req.originalUrl.split('?');
    if (path === `${basePath}/`) return next();
    res.redirect(302, `${basePath}/`);
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
