import { expect, test } from 'vitest';
import { allOperations } from '../../testkit/openapi/document.js';
import { listGrowths } from './growths.js';
import { listSamples } from './requests.js';

const known = { key: 'roster_key', names: {}, namesOf: {}, further: {} };
const samples = listSamples(known);

function placesOf(id: string): Set<string> {
  const own = samples.filter(({ operation }) => operation.id === id);
  return new Set(own.flatMap(listGrowths).map(({ place }) => place));
}

test.each(allOperations.map((operation) => [operation.id, operation] as const))(
  '%s grows in each parameter, and in its body',
  (id, { parameters, place }) => {
    const places = placesOf(id);
    for (const parameter of parameters) {
      expect(places).toContain(`${parameter.text('in')} ${parameter.text('name')}`);
    }
    const hasBody = place.find('requestBody') !== undefined;
    expect([...places].some((one) => one.startsWith('body'))).toBe(hasBody);
  },
);

test('texts, arrays and objects grow, also those that no example has', () => {
  expect(placesOf('createAgent')).toEqual(
    new Set([
      '',
      'query',
      'path project_name',
      'header Idempotency-Key',
      'body //{}',
      'body /agent/{}',
      ...['name', 'model_name', 'provider', 'prompt_template'].map((one) => `body /agent/${one}`),
      ...['model_name', 'provider'].map((one) => `body /agent/model/${one}`),
      'body /agent/model/{}',
      'body /agent/data/{}',
      ...['tables', 'knowledge_bases'].flatMap((one) => [`body /agent/data/${one}/…`, `body /agent/data/${one}/0`]),
      'body /agent/skills/…',
      'body /agent/skills/0',
      'body /agent/skills/0/{}',
      'body /agent/skills/0/name',
      'body /agent/settings/{}',
      ...['', '/…', '/{}'].map((one) => `body /agent/settings/temperature${one}`),
      'body /agent/params/{}',
    ]),
  );
});
