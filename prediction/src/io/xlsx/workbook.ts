import { quote } from '../../table/table-error.js';
import { type ByteBudget, MAX_ROW_BYTES } from '../columns/byte-budget.js';
import { FormatError } from '../columns/format-error.js';
import { type Attributes, type ElementSink, readXml } from './xml.js';
import type { ZipArchive } from './zip.js';

/** The sheets and the shared parts of a workbook. */
export interface Workbook {
  /** The names of the sheets of cells, in their order. */
  readonly sheets: readonly string[];
  /** The name of the chosen sheet. */
  readonly sheet: string;
  /** The file of its cells. */
  readonly path: string;
  /** If no sheet was named, the further sheets that are not hidden: one of them may have the table. */
  readonly others: readonly SheetFile[];
  readonly texts: readonly string[];
  /** By the style of a cell, as what it shows a number. */
  readonly styles: readonly NumberStyle[];
  /** True if days are counted from 1904. */
  readonly from1904: boolean;
}

/** How a cell shows a number; a percentage of 0.45 is 45 %. */
export type NumberStyle = 'number' | 'date' | 'percent';

type SheetFile = Pick<Workbook, 'sheet' | 'path'>;

interface Sheet {
  readonly name: string;
  readonly id: string;
  readonly isHidden: boolean;
}

interface Relation {
  readonly id: string;
  readonly type: string;
  readonly target: string;
}

/** More of them than any workbook has, and all that are held. */
const MAX_PARTS = 10_000;
const MAX_STYLES = 100_000;
const MAX_NAME = 255;

/** A text of JavaScript takes two bytes a character, and about so many besides. */
const TEXT_BYTES = 48;

/**
 * Reads what the cells of a sheet need.
 *
 * @param name of the sheet; without it, the first one that is not hidden.
 * @throws {FormatError} if the archive is not a workbook, or has no such sheet.
 */
export async function readWorkbook(zip: ZipArchive, budget: ByteBudget, name: string | undefined): Promise<Workbook> {
  const [root] = (await readRelations(zip, '')).filter(({ type }) => type === 'officeDocument');
  const path = root?.target ?? 'xl/workbook.xml';
  if (!zip.has(path) || path.endsWith('.bin')) {
    throw new FormatError('The body is not an .xlsx workbook: it has no sheets. Save it as .xlsx.');
  }
  const relations = await readRelations(zip, path);
  const { sheets, from1904 } = await readSheets(zip, path);
  const targets = new Map(relations.filter(({ type }) => type === 'worksheet').map(({ id, target }) => [id, target]));
  const ofCells = sheets.filter(({ id }) => targets.has(id));
  const found =
    name === undefined
      ? (ofCells.find(({ isHidden }) => !isHidden) ?? ofCells[0])
      : ofCells.find((sheet) => sheet.name === name);
  if (found === undefined) throw noSheet(name, ofCells);
  const toFile = ({ name: sheet, id }: Sheet) => ({ sheet, path: targets.get(id) ?? '' });
  const shown = name === undefined ? ofCells.filter(({ isHidden }) => !isHidden) : [];
  const fileOf = (wanted: string) => relations.find(({ type }) => type === wanted)?.target;
  return {
    sheets: ofCells.map((sheet) => sheet.name),
    ...toFile(found),
    others: shown.filter((sheet) => sheet !== found).map(toFile),
    texts: await readTexts(zip, budget, fileOf('sharedStrings')),
    styles: await readStyles(zip, fileOf('styles')),
    from1904,
  };
}

function noSheet(name: string | undefined, sheets: readonly Sheet[]): FormatError {
  if (name === undefined) return new FormatError('The workbook has no sheet with cells.');
  const listed = sheets.slice(0, 20).map((sheet) => quote(sheet.name));
  return new FormatError(
    `There is no sheet ${JSON.stringify(name)}, which sheet names. The sheets are: ${listed.join(', ')}.`,
  );
}

/** Reads elements that need no text. */
async function readElements(
  zip: ZipArchive,
  path: string,
  open: (name: string, attributes: Attributes) => void,
): Promise<void> {
  await readWhole(zip, path, { open, text: () => {}, close: () => {} });
}

async function readWhole(zip: ZipArchive, path: string, sink: ElementSink): Promise<void> {
  for await (const _ of readXml(zip.read(path), path, sink));
}

/** Returns the files that a file of the archive refers to; '' is the archive. */
async function readRelations(zip: ZipArchive, of: string): Promise<Relation[]> {
  const cut = of.lastIndexOf('/') + 1;
  const path = `${of.slice(0, cut)}_rels/${of.slice(cut)}.rels`;
  const relations: Relation[] = [];
  if (!zip.has(path)) return relations;
  await readElements(zip, path, (name, attributes) => {
    if (name !== 'Relationship' || relations.length >= MAX_PARTS) return;
    const type = attributes('Type') ?? '';
    const target = resolve(of.slice(0, cut), attributes('Target') ?? '');
    if (target === undefined) {
      throw new FormatError(`${path} is malformed: it has a target that is not an address.`);
    }
    const id = copyText(attributes('Id') ?? '');
    relations.push({ id, type: copyText(type.slice(type.lastIndexOf('/') + 1)), target });
  });
  return relations;
}

function resolve(folder: string, target: string): string | undefined {
  const base = `zip://a/${folder}`;
  return URL.canParse(target, base) ? new URL(target, base).pathname.slice(1) : undefined;
}

async function readSheets(zip: ZipArchive, path: string) {
  const sheets: Sheet[] = [];
  let from1904 = false;
  await readElements(zip, path, (element, attributes) => {
    if (element === 'workbookPr') from1904 = isTrue(attributes('date1904'));
    if (element !== 'sheet' || sheets.length >= MAX_PARTS) return;
    const isHidden = (attributes('state') ?? 'visible') !== 'visible';
    const name = copyText((attributes('name') ?? '').slice(0, MAX_NAME));
    sheets.push({ name, id: copyText(attributes('id') ?? ''), isHidden });
  });
  return { sheets, from1904 };
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

/** Gathers the text of a string, which may be in parts of other fonts, without how it is spoken. */
export class RichText {
  #text = '';
  #isText = false;
  #isSpoken = false;

  open(name: string): void {
    if (name === 't') this.#isText = !this.#isSpoken;
    else if (name === 'rPh') this.#isSpoken = true;
  }

  text(text: string): void {
    if (this.#isText) this.#text += text;
  }

  close(name: string): void {
    if (name === 't') this.#isText = false;
    else if (name === 'rPh') this.#isSpoken = false;
  }

  /** Returns the text so far, and begins another. */
  take(): string {
    const text = decodeEscapes(this.#text);
    this.#text = '';
    return text;
  }

  get length(): number {
    return this.#text.length;
  }
}

/**
 * Returns a text with its own memory. V8 keeps all of a text of which 13 characters are used, and here that is a
 * chunk of 64 KiB.
 */
export function copyText(text: string): string {
  return text.length < 13 ? text : Buffer.from(text, 'utf16le').toString('utf16le');
}

/** Returns a text with its escapes read, and with its own memory: characters that XML lacks are `_x000D_`. */
export function decodeEscapes(text: string): string {
  if (!text.includes('_x')) return copyText(text);
  return text.replace(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Returns the texts that cells refer to by their index. */
async function readTexts(zip: ZipArchive, budget: ByteBudget, path: string | undefined): Promise<string[]> {
  const texts: string[] = [];
  if (path === undefined || !zip.has(path)) return texts;
  const remedy = 'Save the sheet as CSV, or send fewer rows.';
  const held = budget.hold('The texts of the workbook', remedy);
  const rich = new RichText();
  await readWhole(zip, path, {
    open: (name) => rich.open(name),
    text: (text) => {
      rich.text(text);
      if (rich.length > MAX_ROW_BYTES) throw new FormatError(tooLong(`Text ${texts.length}`));
    },
    close: (name) => {
      rich.close(name);
      if (name !== 'si') return;
      held.add(2 * rich.length + TEXT_BYTES);
      texts.push(rich.take());
    },
  });
  return texts;
}

export function tooLong(place: string): string {
  return `${place} of the workbook is longer than 1 MiB. Shorten it, or leave it out.`;
}

/** Returns for each style of a cell as what it shows a number. */
async function readStyles(zip: ZipArchive, path: string | undefined): Promise<NumberStyle[]> {
  const styles: NumberStyle[] = [];
  if (path === undefined || !zip.has(path)) return styles;
  const codes = new Map<string, string>();
  const ids: string[] = [];
  let isOfCells = false;
  const sink: ElementSink = {
    open: (name, attributes) => {
      if (name === 'numFmt' && codes.size < MAX_STYLES) {
        const code = (attributes('formatCode') ?? '').slice(0, MAX_CODE);
        codes.set(readId(attributes), copyText(code));
      } else if (name === 'cellXfs') isOfCells = true;
      else if (name === 'xf' && isOfCells && ids.length < MAX_STYLES) {
        ids.push(readId(attributes));
      }
    },
    text: () => {},
    close: (name) => {
      if (name === 'cellXfs') isOfCells = false;
    },
  };
  await readWhole(zip, path, sink);
  const known = new Map<string, NumberStyle>();
  for (const id of ids) {
    const code = codes.get(id);
    const found = known.get(id) ?? (code === undefined ? styleOfId(Number(id)) : styleOfCode(code));
    known.set(id, found);
    styles.push(found);
  }
  return styles;
}

function readId(attributes: Attributes): string {
  return (attributes('numFmtId') ?? '0').slice(0, 10);
}

/** The formats that every workbook has without naming them. */
function styleOfId(id: number): NumberStyle {
  if (id === 9 || id === 10) return 'percent';
  return isDateId(id) ? 'date' : 'number';
}

/** Those of dates, those of East Asia among them. */
function isDateId(id: number): boolean {
  return (
    (id >= 14 && id <= 17) ||
    id === 22 ||
    (id >= 27 && id <= 31) ||
    id === 36 ||
    (id >= 50 && id <= 54) ||
    id === 57 ||
    id === 58
  );
}

/** The most characters of a format that are looked at. */
const MAX_CODE = 1000;

/**
 * Returns as what a format shows a number: as a date, if it has a day, a month or a year. One of a clock or a duration
 * shows a number of days.
 */
function styleOfCode(code: string): NumberStyle {
  const [shown = ''] = code.split(';');
  if (/\[(h+|m+|s+)\]/i.test(shown)) return 'number';
  const letters = shown.replace(/"[^"]*"?|\[[^\]]*\]?|[\\_*]./g, '').toLowerCase();
  if (letters.includes('%')) return 'percent';
  if (/general|standard/.test(letters)) return 'number';
  return /[yd]/.test(letters) || (letters.includes('m') && !/[hs]/.test(letters)) ? 'date' : 'number';
}
