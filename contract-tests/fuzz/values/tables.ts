import fc from 'fast-check';
import type { FileFormat } from 'roster-client';
import { toColumns, writeFile } from '../../../testkit/data/table-files.js';

/** The target column of generated tables. */
export const TARGET = 't';

/** A table as a file, and whether the service must accept it, which a schema does not say. */
interface TableFile {
  bytes: Buffer;
  isUsable: boolean;
}

const cells = fc.record({
  x: fc.oneof(fc.integer({ min: -1000, max: 1000 }), fc.double({ noNaN: true, min: -1e6, max: 1e6 })),
  kind: fc.constantFrom('', 'NA', 'sql', 'é', '💎', '__proto__', '2026-01-12', 'a b'),
  t: fc.integer({ min: -1_000_000, max: 1_000_000 }),
});

/** Rows that a model can be trained from: enough of them, a varying target, and a useful feature. */
const usableRows = fc
  .tuple(fc.array(cells, { minLength: 50, maxLength: 60 }), fc.integer({ min: 1, max: 9 }))
  .map(([rows, step]) => rows.map((row, at) => ({ ...row, x: row.x + at, t: row.t + at * step })))
  .filter((rows) => new Set(rows.map(({ t }) => t)).size > 10);

/** A text that begins like a table, and continues with anything. */
const anyCsv = fc
  .tuple(
    fc.constantFrom('x,kind,t\n', 't\n', 'x,t\n', 't,t\n', '', '\ufeffx,t\r\n', 'x,t_min,t\n'),
    fc.array(
      fc.oneof(
        fc.constantFrom('1,2', '1,a,3', '"1,5",2', '"', '"a\nb",1', ',', 'NaN,1', '1e400,1', '\u0000,1'),
        fc.string({ unit: 'binary', maxLength: 20 }),
      ),
      { maxLength: 70 },
    ),
  )
  .map(([header, lines]) => header + lines.join('\n'));

export const csvTables: fc.Arbitrary<TableFile> = fc.oneof(
  usableRows.map((rows) => ({ bytes: Buffer.from(writeCsv(rows)), isUsable: true })),
  anyCsv.map((text) => ({ bytes: Buffer.from(text), isUsable: false })),
);

/** Tables as a JSON array. */
export const jsonTables: fc.Arbitrary<unknown[]> = usableRows;

/** The bytes of a file in which its reading begins. */
const BEGINNING = 64;

/** Files of a format: whole ones, and ones that break off at their beginning. */
export function tableFiles(format: FileFormat): fc.Arbitrary<TableFile> {
  const whole = usableRows.map((rows) =>
    writeFile(format, toColumns(rows.map((row) => ({ ...row, kind: row.kind || null })))),
  );
  return fc.oneof(
    whole.map((bytes) => ({ bytes, isUsable: true })),
    fc
      .tuple(whole, fc.nat(BEGINNING))
      .map(([bytes, length]) => ({ bytes: bytes.subarray(0, length), isUsable: false })),
  );
}

/** Files of a format in which a byte is changed. A change that does no harm leaves them usable. */
export function changedFiles(format: FileFormat): fc.Arbitrary<TableFile> {
  return fc.tuple(tableFiles(format), fc.nat(), fc.integer({ min: 1, max: 255 })).map(([{ bytes }, place, change]) => {
    const changed = Buffer.from(bytes);
    const at = place % Math.max(changed.length, 1);
    changed[at] = (changed[at] ?? 0) ^ change;
    return { bytes: changed, isUsable: false };
  });
}

/** A constant table, for the permanent model. */
export const keptTable: string = writeCsv(
  Array.from({ length: 60 }, (_, at) => ({ x: at, kind: at % 3 ? 'sql' : 'é', t: at * 2 + (at % 7) })),
);

function writeCsv(rows: readonly { x: number; kind: string; t: number }[]): string {
  return `x,kind,${TARGET}\n${rows.map(({ x, kind, t }) => `${x},${kind},${t}\n`).join('')}`;
}

/** Lines of JSON, some of them malformed. */
export const lines: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
      fc.constantFrom('{"x":1,"kind":"sql"}', '{"x":', '', '\r', '[]', '1e400', '{"t":"\ud83d"}'),
      fc.string({ maxLength: 20 }),
    ),
    { maxLength: 8 },
  )
  .map((all) => all.join('\n'));
