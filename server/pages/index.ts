import { readFile } from 'node:fs/promises';
import { type RequestHandler, Router } from 'express';
import type { Contract } from '../../contract/document.js';
import type { SignIn } from '../auth/identities.js';
import { problem } from '../problems/problem.js';
import { type Asset, fileAsset, serve } from './asset.js';
import {
  contractAsJson,
  contractFiles,
  describeUnknownFile,
  readContractVersions,
  renderVersions,
} from './contract-files.js';
import { renderHosts } from './hosts-page.js';
import { renderProblem, renderProblems } from './page.js';
import { renderReference } from './reference-page.js';
import { serveSignIn } from './sign-in-page.js';

const ALLOW = 'GET, HEAD, OPTIONS';

/** Allows only the service's own stylesheet and icon; no scripts, and no framing. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Allows the script that fills in the page of hosts, too. */
const HOSTS_POLICY = `${PAGE_POLICY}; script-src 'self'`;

/** Swagger UI's images are part of its stylesheet, and requests from the page go to the service itself. */
const REFERENCE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Allows the console's own files, and requests to the service itself. */
const CONSOLE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The files beside the pages, which `npm run build` makes or copies, by address. No other file is served. */
const FILES: Readonly<Record<string, string>> = {
  '/console/index.js': '../console/console/index.js',
  '/console/later-views.js': '../console/console/later-views.js',
  '/console/write-workbook.js': '../console/console/write-workbook.js',
  '/console/index.css': '../console/console/index.css',
  '/console/diamonds.csv': '../console/console/diamonds.csv',
  '/console/more-diamonds.csv': '../console/console/more-diamonds.csv',
  '/console/house-sales.csv': '../console/console/house-sales.csv',
  '/docs/swagger-ui.css': './swagger-ui/swagger-ui.css',
  '/docs/swagger-ui-bundle.js': './swagger-ui/swagger-ui-bundle.js',
  '/docs/swagger-ui-bundle.js.LICENSE.txt': './swagger-ui/swagger-ui-bundle.js.LICENSE.txt',
  '/docs/connect.js': './browser/connect.js',
  '/docs/playground.js': './browser/playground.js',
  '/docs/sign-in.js': './browser/sign-in.js',
  '/docs/swagger-plugins.js': './browser/swagger-plugins.js',
  '/docs/swagger-ui-theme.css': './files/swagger-ui-theme.css',
  '/docs/reference.css': './files/reference.css',
  '/docs/pages.css': './files/pages.css',
  '/docs/icon.svg': './files/icon.svg',
};

const fileAt = (path: string) => new URL(path, import.meta.url);

/**
 * Returns the routes of the pages: the console at `/`, what to paste into hosts at `/connect`, the reference at
 * `/docs`, the contract at `/openapi.yaml` and `/openapi.json`, its versions at `/openapi`, and a page for each problem
 * at `/problems/<slug>`. They need no key; each file is read or rendered at its first request.
 * @param basePath the prefix before every address of the contract, or ''
 * @param isLocal whether only this machine can reach the service; otherwise the reference sends no requests
 * @param signIn where the console signs in; undefined if it asks for keys alone
 */
export function pages(contract: Contract, basePath: string, isLocal: boolean, signIn?: SignIn): Router {
  const router = Router({ caseSensitive: true });
  const get = (path: string, ...handlers: RequestHandler[]) =>
    router
      .route(path)
      .get(...handlers)
      .options(answerOptions)
      .all(refuseOtherMethods);
  const getPage = (path: string, read: () => string, policy = PAGE_POLICY) =>
    get(path, withoutSlash, serve({ type: 'html', policy, read }));

  const consolePage: Asset = {
    type: 'html',
    policy: CONSOLE_POLICY,
    read: async () => {
      const page = await readFile(fileAt('../console/index.html'), 'utf8');
      return signIn ? page.replace('id="app"', '$& data-sign-in="./sign-in"') : page;
    },
  };
  router.route('/').get(browsersOnly(basePath), serve(consolePage)).options(answerOptions);
  for (const [address, path] of Object.entries(FILES)) get(address, serve(fileAsset(fileAt(path))));
  getPage('/docs', () => renderReference(contract, isLocal), REFERENCE_POLICY);
  get('/openapi.yaml', serve({ type: 'application/yaml', read: () => contract.source }));
  get('/openapi.json', serve({ type: 'json', read: () => contractAsJson(contract, basePath) }));
  const versions = readContractVersions();
  getPage('/openapi', () => renderVersions(versions));
  for (const [name, asset] of contractFiles(versions)) get(`/openapi/${name}`, serve(asset));
  router.all('/openapi/:name', ({ params: { name } }) => {
    throw problem('/problems/unknown-address', describeUnknownFile(name, versions));
  });
  if (signIn) get('/sign-in', withoutSlash, serveSignIn(signIn));
  getPage('/connect', renderHosts, HOSTS_POLICY);
  getPage('/problems', () => renderProblems(contract.problems.values()));
  for (const [type, kind] of contract.problems) getPage(type, () => renderProblem(kind));
  return router;
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
