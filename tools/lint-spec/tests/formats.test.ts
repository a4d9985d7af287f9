import { expect, test } from 'vitest';
import { type Finding, FORMATS } from '../finding.js';

const FINDING: Finding = {
  file: 'a,b:c.yaml',
  line: 3,
  column: 5,
  severity: 'warning',
  rules: ['contract/one', 'spectral/one'],
  message: '100 %\r\n::error::x',
  remedy: 'Fix it.',
};

test('an annotation escapes what GitHub would read as a command', () => {
  expect(FORMATS.github([FINDING], ['a.yaml'])).toBe(
    '::warning file=a%2Cb%3Ac.yaml,line=3,col=5,title=contract/one%2C spectral/one::100 %25%0D%0A::error::x%0AFix it.\n' +
      '1 warning in a.yaml.\n',
  );
});

test('a line of text begins with the place, and stays one line', () => {
  expect(FORMATS.text([FINDING, { ...FINDING, severity: 'error' }], ['a.yaml', 'b.yaml'])).toBe(
    [
      'a,b:c.yaml:3:5: warning: 100 % ::error::x [contract/one, spectral/one]',
      '    Fix it.',
      'a,b:c.yaml:3:5: error: 100 % ::error::x [contract/one, spectral/one]',
      '    Fix it.',
      '1 error, 1 warning in a.yaml and b.yaml.\n',
    ].join('\n'),
  );
});

test('JSON has every member of a finding', () => {
  expect(JSON.parse(FORMATS.json([FINDING]))).toEqual([FINDING]);
});
