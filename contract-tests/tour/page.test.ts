/** `docs/tour.md`, and `docs/tour.arazzo.yaml`, from which `generated/tour.ts` is made. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TOUR } from '../../generated/tour.js';
import { someDiamonds } from '../../testkit/data/diamonds.js';
import { operationAt } from '../../testkit/openapi/operation-at.js';
import { root } from '../../testkit/root.js';

const page = readFileSync(new URL('docs/tour.md', root), 'utf8');

test('the workflow sends the requests of the page, in the same order', () => {
  const shown = TOUR.map(({ operationId, method, address, headers, body }) => ({
    operationId,
    request: `${method} ${address}`,
    json: headers.some((header) => header.endsWith('json')) ? JSON.parse(`${body}`) : undefined,
  }));
  expect(commandsOfTour().map(requestOf)).toEqual(shown);
});

test('the file of the tour has the first diamonds', () => {
  const files = TOUR.filter(({ headers }) => headers.some((header) => header === 'Accept: text/csv'));
  expect(files.map(({ body }) => body)).toEqual([someDiamonds(3)]);
});

/** Returns the curl commands in the section, which all begin with `ask`. */
function commandsOfTour(): string[] {
  const [section = ''] = page.split(/^## .*with curl\n/m)[1]?.split(/^## /m) ?? [];
  return section.split('\n').filter((line) => line.startsWith('ask '));
}

function requestOf(command: string) {
  const [, address = ''] = /\$R([^\s"]+)/.exec(command) ?? [];
  const [, body] = / -d '(.*)'$/.exec(command) ?? [];
  const sends = body !== undefined || command.includes('--data-binary');
  const [, method = sends ? 'POST' : 'GET'] = / -X ([A-Z]+) /.exec(command) ?? [];
  return {
    operationId: operationAt(method, address.replace(/\?.*/, ''))?.id,
    request: `${method} ${address}`,
    json: body && JSON.parse(body),
  };
}
