import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FileError, readProjectFile, writeProjectFile } from './project-file.js';

test('any params are read as they were written', () => {
  const params = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' }));
  const texts = fc.string({ unit: 'binary' }).map((text) => `${text}\n\n ${text}`);
  fc.assert(
    fc.property(fc.array(fc.tuple(params, texts), { maxLength: 3 }), (all) => {
      const manifest = all.map(([params, text], at) => ({
        skill: { name: `s${at}`, type: 'note', params: { ...params, text, half: text.slice(0, 1) } },
      }));
      const file = Buffer.from(writeProjectFile(manifest)).toString();
      expect(JSON.stringify(readProjectFile(file, 'any.yaml').value)).toBe(JSON.stringify(manifest));
    }),
    { numRuns: 300 },
  );
});

test('any text is read, or refused with its place', () => {
  const words = ['- ', '&a ', '*a', ': ', '\n', '  ', '"', "'", '{', '}', '[', ']', ',', '|\n', '>-\n'];
  const more = ['!!str ', '? ', '#', '---\n', '...\n', '<<: ', '.inf', '\t', 'x', '%YAML 1.2\n', '\r'];
  const pieces = fc.oneof(fc.constantFrom(...words, ...more), fc.string({ unit: 'binary', maxLength: 3 }));
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
      try {
        const { value, locate } = readProjectFile(parts.join(''), 'any.yaml');
        expect(JSON.parse(JSON.stringify(value))).toEqual(value);
        expect(locate(['0', 'x', 'y'])).toMatch(/^any\.yaml:\d+:\d+$/);
      } catch (error) {
        expect(error).toBeInstanceOf(FileError);
        expect(String(error)).toMatch(/any\.yaml:\d+:\d+: ./);
      }
    }),
    { numRuns: 3000 },
  );
});

test('aliases that would fill the memory are refused at once', () => {
  const lines = ['- &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let at = 1; at < 40; at += 1) {
    lines.push(`- &a${at} [${Array.from({ length: 9 }, () => `*a${at - 1}`).join()}]`);
  }
  expect(() => readProjectFile(lines.join('\n'), 'bomb.yaml')).toThrow(/^bomb\.yaml:\d+:\d+: aliases/);
  expect(() => readProjectFile('['.repeat(100_000), 'deep.yaml')).toThrow(FileError);
});

test('a prompt that is repeated by an alias is that prompt', () => {
  const text = '- agent: {name: a, prompt_template: &p Be brief.}\n- agent: {name: b, prompt_template: *p}\n';
  const { value, locate } = readProjectFile(text, 'twice.yaml');
  expect(value).toMatchObject([{}, { agent: { prompt_template: 'Be brief.' } }]);
  expect(locate(['1', 'agent', 'prompt_template'])).toBe('twice.yaml:2:20');
});
