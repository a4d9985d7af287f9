import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RouteTree } from './route-tree.js';

const tree = new RouteTree<string>();
for (const template of [
  '/projects',
  '/projects/{project}',
  '/projects/{project}/skills/{skill}',
  '/projects/mine/skills/{skill}',
  '/projects/{project}/agents',
]) {
  tree.add(template, template);
}

describe('an address', () => {
  test.each([
    ['/projects', '/projects', {}],
    ['/projects/', '/projects', {}],
    ['/projects/a', '/projects/{project}', { project: 'a' }],
    ['/projects/a%2Fb%20c', '/projects/{project}', { project: 'a/b c' }],
    ['/projects/a/skills/b/', '/projects/{project}/skills/{skill}', { project: 'a', skill: 'b' }],
  ])('%s is found, with its parameters', (path, value, params) => {
    expect(tree.find(path)).toEqual({ value, params });
  });

  test('with a literal segment goes before one that fills a parameter', () => {
    expect(tree.find('/projects/mine/skills/b')).toEqual({
      value: '/projects/mine/skills/{skill}',
      params: { skill: 'b' },
    });
  });

  test('that begins like another template is found', () => {
    expect(tree.find('/projects/mine/agents')).toEqual({
      value: '/projects/{project}/agents',
      params: { project: 'mine' },
    });
  });

  test.each([
    '',
    '/',
    '/Projects',
    'xprojects',
    '/projects//',
    '/projects/a//',
    '/projects//skills/b',
    '/projects/a/skills',
    '/projects/a/skills/b/c',
  ])('that no template has, such as "%s", is not found', (path) => {
    expect(tree.find(path)).toBeUndefined();
  });

  test('that is not percent-encoded UTF-8 is refused as such', () => {
    expect(() => tree.find('/projects/%ff')).toThrow(URIError);
  });
});

test('any template is found by any address that fills it, among any others', () => {
  const segment = fc.oneof(fc.constantFrom('projects', 'skills', 'api'), fc.constantFrom('{one}', '{other}'));
  const template = fc.array(segment, { minLength: 1, maxLength: 5 });
  const filling = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => text !== '.');
  fc.assert(
    fc.property(
      fc.array(template, { minLength: 1, maxLength: 12 }),
      fc.array(filling, { minLength: 5, maxLength: 5 }),
      (templates, fillings) => {
        const all = new RouteTree<string>();
        for (const segments of templates) all.add(`/${segments.join('/')}`, segments.join('/'));
        for (const segments of templates) {
          const filled = segments.map((part, index) =>
            part.startsWith('{') ? encodeURIComponent(fillings[index] ?? 'x') : part,
          );
          const found = all.find(`/${filled.join('/')}`);
          expect(found && fits(found.value.split('/'), filled)).toBe(true);
        }
      },
    ),
  );
});

/** Returns whether the segments of an address match a template. */
function fits(template: readonly string[], filled: readonly string[]): boolean {
  return (
    template.length === filled.length && template.every((part, index) => part.startsWith('{') || part === filled[index])
  );
}
