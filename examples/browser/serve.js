/**
 * Serves the page, and forwards its requests to the service, so that both have the same origin. The service
 * sends no CORS headers, so a browser hides its answers from pages of other origins.
 *
 *     node examples/browser/serve.js
 *
 * ROSTER_URL is the URL of the service, and PORT the port of the page.
 */
import { createReadStream } from 'node:fs';
import { request as ask, createServer } from 'node:http';
import { extname } from 'node:path';
import { pipeline } from 'node:stream';

const SERVICE = process.env['ROSTER_URL'] ?? 'http://127.0.0.1:4000';
const PAGE = new URL('./', import.meta.url);
const PACKAGES = new URL('../../node_modules/', import.meta.url);

const FILES_OF_THE_PAGE = new Map([
  ['/', 'index.html'],
  ['/main.js', 'main.js'],
  ['/first-page/', 'first-page/index.html'],
  ['/first-page/main.js', 'first-page/main.js'],
]);
const FILES_OF_PACKAGES =
  /^\/node_modules\/((?:roster-client|openapi-fetch|eventsource-parser)\/dist\/[\w./-]+\.m?js)$/;

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://page');
  if (pathname.startsWith('/api/')) passOn(request, response);
  else sendFile(fileAt(pathname), response);
});
server.listen(Number(process.env['PORT'] ?? 4001), '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`http://127.0.0.1:${address?.port}`);
});

/**
 * Forwards every header, including `Host`, by which a service without keys distinguishes a page of this machine
 * from one whose name was made to resolve to it (DNS rebinding).
 *
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
function passOn(request, response) {
  const { method, url, headers } = request;
  const passed = ask(SERVICE + url, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    pipeline(answer, response, () => {});
  });
  passed.once('error', () => {
    if (!response.headersSent) response.writeHead(502).end('The service was not reached');
  });
  response.once('close', () => passed.destroy());
  request.pipe(passed);
}

/** @param {string} pathname */
function fileAt(pathname) {
  const ofThePage = FILES_OF_THE_PAGE.get(pathname);
  if (ofThePage) return new URL(ofThePage, PAGE);
  const ofAPackage = FILES_OF_PACKAGES.exec(pathname)?.[1];
  return ofAPackage === undefined ? undefined : new URL(ofAPackage, PACKAGES);
}

/**
 * @param {URL | undefined} file
 * @param {import('node:http').ServerResponse} response
 */
function sendFile(file, response) {
  if (!file) {
    response.writeHead(404).end();
    return;
  }
  const mediaType = extname(file.pathname) === '.html' ? 'text/html' : 'text/javascript';
  const content = createReadStream(file);
  content.once('open', () => response.setHeader('Content-Type', `${mediaType}; charset=utf-8`));
  content.once('error', () => response.writeHead(404).end());
  content.pipe(response);
}
