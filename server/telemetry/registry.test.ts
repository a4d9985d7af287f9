import { expect, test } from 'vitest';
import { Registry } from './registry.js';

test('a histogram counts a value in its bucket and in all larger ones', () => {
  const registry = new Registry();
  const sizes = registry.histogram('sizes', 'Sizes.', 'kind', [1, 5]);
  for (const size of [0.5, 1, 3, 100]) sizes.of('a').observe(size);

  expect(registry.text()).toBe(`# HELP sizes Sizes.
# TYPE sizes histogram
sizes_bucket{le="1",kind="a"} 2
sizes_bucket{le="5",kind="a"} 3
sizes_bucket{le="+Inf",kind="a"} 4
sizes_sum{kind="a"} 104.5
sizes_count{kind="a"} 4
`);
});

test('a label keeps its value, whatever characters that has', () => {
  const registry = new Registry();
  registry.counter('named', 'Named.', ['name']).of('a "b"\\\nc').add(2);
  expect(registry.text()).toContain('named{name="a \\"b\\"\\\\\\nc"} 2\n');
});

test('metrics stand apart by an empty line, and one without a series shows its head', () => {
  const registry = new Registry();
  registry.counter('first', 'First.');
  registry.read('gauge', 'second', 'Second.', () => []);
  expect(registry.text()).toBe(
    '# HELP first First.\n# TYPE first counter\nfirst 0\n\n# HELP second Second.\n# TYPE second gauge\n',
  );
});
