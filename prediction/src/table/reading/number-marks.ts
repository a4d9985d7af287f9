import {
  type DecimalMark,
  type Example,
  type GroupMark,
  type NumberReading,
  type Place,
  type ReadingMarks,
  showExample,
  type UndecidedReading,
} from './column-reading.js';
import { isMoney, type NumberText } from './number-forms.js';

const OTHER = { '.': ',', ',': '.' } as const;
const NAMES = { '.': 'point', ',': 'comma' } as const;

/** Ungrouped numbers of this size and more contradict a separator of thousands. */
const THOUSAND = 1000;

/** The texts of one unit in a column that show the meaning of its marks. Its memory does not grow with the texts. */
export class NumberMarks {
  /** The first text that shows each decimal mark. */
  readonly #shown: Partial<Record<DecimalMark, Example>> = {};
  /** The first text in which each mark may separate thousands or decimals, and the first of those that ends in 0. */
  readonly #either: Partial<Record<DecimalMark, Example>> = {};
  readonly #ending: Partial<Record<DecimalMark, Example>> = {};
  /** The first text with each separator of thousands, by the decimal mark that it goes with; any, if it has none. */
  readonly #groups = new Map<`${DecimalMark | 'any'}${GroupMark}`, Example>();
  /** Whether a value in which a mark may group has two or three digits before it. */
  #hasLongGroup = false;
  #small = false;
  #large: Example | undefined;
  /** The first whole number below 1,000 with a minus behind it, and whether another number has one. */
  #label: Example | undefined;
  #hasMinusBehind = false;

  /** True once a text has shown that the point separates decimals: plain numbers then change nothing. */
  get showsPoint(): boolean {
    return this.#shown['.'] !== undefined;
  }

  /** @param number the parsed text. */
  add(number: NumberText, text: string, place: Place | undefined): void {
    const { values, groups, either, isWhole, endsInMinus } = number;
    if (endsInMinus) {
      if (isWhole && Math.abs(values['.']) < THOUSAND) this.#label ??= { text, place };
      else this.#hasMinusBehind = true;
    }
    if (isWhole) {
      this.addWhole(values['.'], text, place);
      return;
    }
    if (either !== null) {
      this.#either[either] ??= { text, place };
      if (/0\D*$/.test(text)) this.#ending[either] ??= { text, place };
      this.#hasLongGroup ||= Math.abs(values[OTHER[either]]) >= 10 * THOUSAND;
      return;
    }
    const isPoint = !Number.isNaN(values['.']);
    const isBoth = isPoint && !Number.isNaN(values[',']);
    const mark = isPoint ? '.' : ',';
    if (!isBoth) this.#shown[mark] ??= { text, place };
    const group = groups[mark];
    if (group === null) return;
    const key = `${isBoth ? 'any' : mark}${group}` as const;
    if (!this.#groups.has(key)) this.#groups.set(key, { text, place });
  }

  /** @param value of a text without marks. */
  addWhole(value: number, text: string, place: Place | undefined): void {
    if (Math.abs(value) < THOUSAND) this.#small = true;
    else this.#large ??= { text, place };
  }

  /**
   * Decides what the marks mean.
   *
   * @param unit of the texts.
   * @param marks that the sender of the table has named.
   * @param force true to ignore texts that contradict the sender.
   */
  decide(unit: string | null, marks: ReadingMarks, force = false): NumberReading | UndecidedReading {
    const { group } = marks;
    if (unit === null && this.#label !== undefined && !this.#hasMinusBehind && !force) return mayBeLabels(this.#label);
    const chosen = chosenDecimal(marks);
    const decimal = chosen ?? this.#findDecimal(unit, marks);
    if (typeof decimal !== 'string') return decimal;
    const contradiction = this.#shown[OTHER[decimal]];
    if (chosen !== undefined && contradiction !== undefined && !force) {
      return undecided(
        `its values contradict decimal=${chosen} of the request: ${showExample(contradiction)} has a decimal ${NAMES[OTHER[chosen]]}`,
      );
    }
    const found = this.#findGroup(decimal, group);
    if (found !== null && typeof found === 'object') return found;
    const decided_by = chosen === undefined && group === undefined ? 'values' : 'parameters';
    return { kind: 'number', unit, decimal, group: found, decided_by };
  }

  #findDecimal(unit: string | null, { pointDecimals }: ReadingMarks): DecimalMark | UndecidedReading {
    const { '.': point, ',': comma } = this.#shown;
    if (point !== undefined && comma !== undefined) return twoForms(point, comma);
    if (point !== undefined) return '.';
    if (comma !== undefined) return ',';
    const { '.': pointed, ',': parted } = this.#either;
    if (pointed !== undefined && parted !== undefined) return twoForms(pointed, parted);
    if (pointed !== undefined) {
      if (pointDecimals) return '.';
      return this.#findMeaning('.', pointed, unit);
    }
    return parted === undefined ? '.' : this.#findMeaning(',', parted, unit);
  }

  /** Decides whether a mark that is always followed by three digits separates thousands or decimals. */
  #findMeaning(mark: DecimalMark, example: Example, unit: string | null): DecimalMark | UndecidedReading {
    // Amounts have no three decimals, but prices of fuel have, and are small.
    if (isMoney(unit) && (this.#hasLongGroup || (this.#small && this.#large === undefined))) return OTHER[mark];
    const ending = this.#ending[mark];
    // No program writes decimals as 847 and 1.020: with fixed decimals it writes 847.000, and else 1.02.
    if (this.#small && this.#large === undefined && ending !== undefined) return OTHER[mark];
    // A sender who groups thousands would group the large number, too. Programs write decimal points and no groups.
    if (mark === '.' && this.#large !== undefined && ending === undefined && !isMoney(unit)) return mark;
    const beside = this.#large === undefined ? '' : `, beside ${showExample(this.#large)}`;
    return undecided(
      `its values are numbers in which a ${NAMES[mark]} may separate thousands or decimals, and none shows which (${showExample(example)}${beside})`,
    );
  }

  #findGroup(decimal: DecimalMark, chosen: GroupMark | undefined): GroupMark | null | UndecidedReading {
    const found = new Map<GroupMark, Example>();
    for (const group of [OTHER[decimal], ' ', "'"] as const) {
      const example = this.#groups.get(`${decimal}${group}`) ?? this.#groups.get(`any${group}`);
      const either = group === OTHER[decimal] ? this.#either[group] : undefined;
      const first = example ?? either;
      if (first !== undefined) found.set(group, first);
    }
    if (chosen !== undefined) {
      const other = [...found].find(([group]) => group !== chosen);
      if (other === undefined) return chosen;
      return undecided(`its values contradict group=${chosen} of the request: ${showExample(other[1])}`);
    }
    const [first, second] = [...found.values()];
    if (first !== undefined && second !== undefined) return twoForms(first, second);
    return [...found.keys()][0] ?? null;
  }
}

/** Returns the decimal mark that a sender has named, also by the separator of thousands. */
export function chosenDecimal({ decimal, group }: ReadingMarks): DecimalMark | undefined {
  return decimal ?? (group === '.' || group === ',' ? OTHER[group] : undefined);
}

function twoForms(one: Example, other: Example): UndecidedReading {
  return undecided(
    `its values are numbers in two forms, so that a comma or a point may separate thousands or decimals: ${showExample(one)}, and ${showExample(other)}`,
  );
}

/** Grades such as `2-` and classes of age such as `18-` are no negative numbers. */
function mayBeLabels(example: Example): UndecidedReading {
  return {
    kind: 'undecided',
    reason: `a minus stands only behind whole numbers below 1,000 (${showExample(example)}), which may be negative or labels; choose numbers for the column, if they are negative (as_number), or choose categories (as_category)`,
  };
}

function undecided(what: string): UndecidedReading {
  return {
    kind: 'undecided',
    reason: `${what}; state it with decimal=. or decimal=, or write the values with a decimal point and without other separators, such as 1234.5`,
  };
}
