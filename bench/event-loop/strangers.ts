import { type Operation, Place } from '../../testkit/openapi/document.js';
import { type Growth, growHeader, listGrowths } from './growths.js';
import { type Known, listSamples, type Sample, writeSample } from './requests.js';

/** An address that nobody has, and that of a page. */
const ADDRESSES = ['/absent', '/docs/'];

/** Beginnings of addresses, which are followed by what is repeated. */
const BEGINNINGS = [
  ...['/', '/projects/', '/projects/default/skills/', '/api/', '/api/projects/', '/v1/', '/mcp/'],
  ...['/oauth/', '/docs/', '/problems/', '/.well-known/', '/health/', '/browser/'],
];
const STEPS = [
  ...['a', 'a/', '/', '//', '.', './', '../', '%', '%41', '%2F', '%2e%2e/', '%zz', '%C3%A9', '%ED%A0%80'],
  ...[';', ':', '{', '~', 'a.', 'api/', '@', '*', '!', '\\', '|', '0'],
];

/** Headers that a server, a proxy before it or the service reads, with the beginning of a value. */
const HEADERS: readonly (readonly [name: string, own: string])[] = [
  ['Authorization', 'Bearer roster_7Kq2mXv9LbT4cRz1_'],
  ['Authorization', 'Bearer eyJhbGciOiJSUzI1NiJ9.eyJ'],
  ['X-Api-Key', 'roster_'],
  ['User-Agent', 'Mozilla/5.0 ('],
  ['X-Forwarded-For', '10.0.0.1, '],
  ['X-Forwarded-Proto', 'https,'],
  ['X-Forwarded-Host', 'roster.example.com,'],
  ['Forwarded', 'for="[::1]";proto=https,'],
  ['Origin', 'https://'],
  ['Referer', 'https://'],
  ['Accept', 'text/html;q=0.1, '],
  ['Accept-Encoding', 'gzip;q=0.1, '],
  ['Accept-Language', 'en;q=0.1, '],
  ['Content-Type', 'application/json; charset='],
  ['Content-Encoding', 'gzip, '],
  ['Cookie', 'a=b; '],
  ['If-None-Match', '"a", '],
  ['If-Match', 'W/"a", '],
  ['If-Modified-Since', 'Sat, 01 Nov 2025 00:00:00 '],
  ['Idempotency-Key', 'a'],
  ['traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-'],
  ['tracestate', 'a=b,'],
  ['baggage', 'a=b,'],
  ['X-Request-Id', 'a'],
  ['Prefer', 'a=b, '],
  ['Range', 'bytes=0-1,'],
  ['Access-Control-Request-Method', 'P'],
  ['Access-Control-Request-Headers', 'a, '],
  ['MCP-Protocol-Version', '2025-11-25'],
  ['Sec-Fetch-Site', 'same-origin'],
];

/** The operations that the headers are sent to, with a key and without one. */
const WITH_HEADERS = ['getSkill', 'createSkill, json skill', 'callMcp, json call'];

/** The requests without a key to every operation: they must cost no more than a refusal. */
const WITHOUT_KEY = new Set(['"a"', '{}', '" "', '"eyJ"', 'a=1&', 'rows', 'lines that fit']);

/** Returns the growths of requests without a key, or without an operation. */
export function listStrangers(known: Known): Growth[] {
  const samples = listSamples(known);
  const headed = samples.filter(({ name }) => WITH_HEADERS.includes(name));
  const pages = ADDRESSES.map((path) => sampleAt('GET', path));
  return [
    ...BEGINNINGS.flatMap((beginning) =>
      STEPS.map((step): Growth => {
        const write = (bytes: number) => writeSample(sampleAt('GET', beginning + step.repeat(bytes / step.length)));
        const sizes = [3500, 14_000];
        return { sample: 'any address', place: beginning, pattern: step, series: [sizes], write };
      }),
    ),
    ...[...pages, sampleAt('OPTIONS', '/projects'), ...headed, ...headed.map(withoutKey)].flatMap((sample) =>
      HEADERS.flatMap(([name, own]) => growHeader(sample, name, own)),
    ),
    ...samples
      .map(withoutKey)
      .flatMap(listGrowths)
      .filter(({ pattern }) => WITHOUT_KEY.has(pattern)),
  ];
}

function withoutKey(sample: Sample): Sample {
  return { ...sample, name: `${sample.name} without a key`, headers: {} };
}

function sampleAt(method: string, path: string): Sample {
  const id = `${method} ${path}`;
  const operation: Operation = { id, method, path, place: Place.root({}), parameters: [] };
  return { name: id, operation, path: {}, query: {}, headers: {}, isFirst: true };
}
