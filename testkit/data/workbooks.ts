import { crc32, deflateRawSync } from 'node:zlib';

type Cell = string | number | boolean | null;

/** A file of a ZIP archive as a test wants it, with numbers that need not be true. */
export interface ZipFile {
  readonly content: string | Uint8Array;
  /** The bytes as they are stored, in place of the deflated content. */
  readonly stored?: Uint8Array;
  readonly method?: number;
  readonly flags?: number;
  /** Where the directory says that it begins. */
  readonly start?: number;
  /** The size that the directory claims it has when it is compressed. */
  readonly size?: number;
}

/** Returns a ZIP archive. */
export function writeZip(files: Readonly<Record<string, string | ZipFile>>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, sent] of Object.entries(files)) {
    const file: ZipFile = typeof sent === 'string' ? { content: sent } : sent;
    const content = Buffer.from(file.content);
    const stored = file.stored ?? deflateRawSync(content);
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(file.flags ?? 0, 2);
    head.writeUInt16LE(file.method ?? 8, 4);
    head.writeUInt32LE(crc32(content), 10);
    head.writeUInt32LE(file.size ?? stored.length, 14);
    head.writeUInt32LE(content.length, 18);
    head.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = [Buffer.from('PK\x03\x04'), head, Buffer.from(name), Buffer.from(stored)];
    const central = Buffer.alloc(14);
    central.writeUInt32LE(file.start ?? at, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), head, central, Buffer.from(name));
    parts.push(...local);
    at += local.reduce((sum, { length }) => sum + length, 0);
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, listed, end]);
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';

/** The parts of a workbook that tests write themselves. */
export interface WorkbookParts {
  /** The elements of `sheetData` of each sheet, by its name. */
  readonly sheets: Readonly<Record<string, string>>;
  /** The elements of the shared strings. */
  readonly texts?: string;
  /** The elements of the styles. */
  readonly styles?: string;
  /** Attributes of `workbookPr`. */
  readonly properties?: string;
}

/** Returns the files of a workbook, by their names. */
export function workbookFiles({ sheets, texts, styles, properties = '' }: WorkbookParts) {
  const names = Object.keys(sheets);
  const parts = [
    ...names.map((_, index) => ['worksheet', `worksheets/sheet${index + 1}.xml`]),
    ['sharedStrings', 'sharedStrings.xml'],
    ['styles', 'styles.xml'],
  ];
  const relations = parts.map(
    ([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  const listed = names.map(
    (name, index) => `<sheet name="${escapeXml(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  );
  return {
    '_rels/.rels': `<Relationships xmlns="${PACKAGE}"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><workbookPr ${properties}/><sheets>${listed.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}">${relations.join('')}</Relationships>`,
    'xl/sharedStrings.xml': `<sst xmlns="${MAIN}">${texts ?? ''}</sst>`,
    'xl/styles.xml': `<styleSheet xmlns="${MAIN}">${styles ?? ''}</styleSheet>`,
    ...Object.fromEntries(
      Object.values(sheets).map((rows, index) => [
        `xl/worksheets/sheet${index + 1}.xml`,
        `<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="${MAIN}"><dimension ref="A1:XFD1048576"/><sheetData>${rows}</sheetData></worksheet>`,
      ]),
    ),
  };
}

/** Returns a workbook of one sheet with these rows. */
export function writeWorkbook(rows: readonly (readonly Cell[])[]): Buffer {
  return workbookOfSheets({ Sheet1: rows });
}

/** Returns a workbook of sheets with these rows, by their names. */
export function workbookOfSheets(sheets: Readonly<Record<string, readonly (readonly Cell[])[]>>): Buffer {
  const written = Object.entries(sheets).map(([name, rows]) => [
    name,
    rows.map((row) => `<row>${row.map(writeCell).join('')}</row>`).join(''),
  ]);
  return writeZip(workbookFiles({ sheets: Object.fromEntries(written) }));
}

/** The formats of numbers that show percentages: two of every workbook, and two of its author. */
const PERCENT_FORMATS = [9, 10, 164, 165];

/** Returns a workbook of one sheet, whose numbers are shown as percentages, in turn by each format that does so. */
export function writePercents(names: readonly string[], rows: readonly (readonly number[])[]): Buffer {
  const styles = `<numFmts count="2"><numFmt numFmtId="164" formatCode="0.0 %;[Red]-0.0%"/><numFmt numFmtId="165" formatCode="#,##0%"/></numFmts><cellXfs>${['0', ...PERCENT_FORMATS].map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs>`;
  const lines = rows.map((row, index) => {
    const style = 1 + (index % PERCENT_FORMATS.length);
    return `<row>${row.map((number) => `<c s="${style}"><v>${number}</v></c>`).join('')}</row>`;
  });
  const head = `<row>${names.map(writeCell).join('')}</row>`;
  return writeZip(workbookFiles({ sheets: { Sheet1: head + lines.join('') }, styles }));
}

function writeCell(cell: Cell): string {
  switch (typeof cell) {
    case 'number':
      return `<c><v>${cell}</v></c>`;
    case 'boolean':
      return `<c t="b"><v>${cell ? 1 : 0}</v></c>`;
    case 'string':
      return `<c t="inlineStr"><is><t xml:space="preserve">${escapeXml(cell)}</t></is></c>`;
    default:
      return '<c/>';
  }
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replace(/_x[0-9a-f]{4}_/gi, (code) => `_x005F${code}`)
    .replaceAll('\r', '&#13;');
}
