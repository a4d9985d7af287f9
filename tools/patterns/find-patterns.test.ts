import { expect, test } from 'vitest';
import { findPatterns } from './find-patterns.js';

const find = (text: string, name = 'a.ts') =>
  findPatterns(name, text).map(({ line, source, flags, bound }) => ({ line, source, flags, bound }));

test('a literal is found wherever it stands, with its place', () => {
  const text = `const a = 'x'.replace(/b+/gu, '') as string;\n  export const c = <T,>(d: T) => /e/.test(\`\${d}\`);`;
  expect(find(text)).toEqual([
    { line: 1, source: 'b+', flags: 'gu', bound: undefined },
    { line: 2, source: 'e', flags: '', bound: undefined },
  ]);
  expect(findPatterns('a.tsx', 'const a = <p class={/b/.source} />;')).toMatchObject([
    { line: 1, column: 21, text: '/b/' },
  ]);
});

test('text in a comment or a string is no literal', () => {
  expect(find("// /a+/\nconst b = '/a+/'; /* /c/ */")).toEqual([]);
});

test('what RegExp gets is put together from the constants of the file', () => {
  const text = [
    "export const LETTER = 'a-z', COUNT = 3;",
    `const WORD = String.raw\`\\b[\${LETTER}]{\${COUNT}}\`;`,
    `const A = new RegExp(\`^\${WORD}$\`, 'u');`,
    "const B = RegExp(['(', WORD, ')'].join('|'));",
    "const C = new RegExp(/d/, 'g');",
  ].join('\n');
  expect(find(text)).toEqual([
    { line: 3, source: '^\\b[a-z]{3}$', flags: 'u', bound: undefined },
    { line: 4, source: '(|\\b[a-z]{3}|)', flags: '', bound: undefined },
    { line: 5, source: 'd', flags: '', bound: undefined },
  ]);
});

test('what is no constant of the file has no source', () => {
  const text = [
    "import { NAME } from './names.js';",
    'let word = "a";',
    'const a = (b: string) => [new RegExp(b), new RegExp(NAME), new RegExp(word)];',
  ].join('\n');
  expect(find(text).map(({ source }) => source)).toEqual([undefined, undefined, undefined]);
});

test('a comment on the line above, or on the same line, says why texts are short', () => {
  const text = [
    '// bounded: at most 10 characters (MAX)',
    'const a = /a/;',
    'const b = /b/; // bounded: a name',
    '/** bounded: a word */',
    'const c =',
    '  /c/;',
    '// It is bounded: somehow.',
    'const d = /d/;',
  ].join('\n');
  expect(find(text).map(({ bound }) => bound)).toEqual(['at most 10 characters (MAX)', 'a name', undefined, undefined]);
});

test('a file that cannot be parsed is named', () => {
  expect(() => find('const = /a/;', 'broken.ts')).toThrow(/^broken\.ts: /);
});
