import fc from 'fast-check';

/** A random SELECT, and the tables that it names. */
export interface RandomSelect {
  readonly sql: string;
  readonly tables: ReadonlySet<string>;
}

/** The ways in which a dialect may write a name. */
export interface NameForms {
  readonly schema: string;
  /** The characters around quoted names. */
  readonly quotes: readonly (readonly [open: string, close: string])[];
}

const TABLES = ['orders', 'customers', 'spending', 'cards', 'card_list', 'Secret Keys'];
const GAPS = [' ', '\n', '\t ', ' /* cards; */ ', ' -- orders, cards\n', '/**/'];

/** The deepest nesting of queries. */
const MAX_DEPTH = 3;

/** Generates SELECTs of one column whose tables hide in joins, subqueries, unions and CTEs. */
export function randomSelect(forms: NameForms): fc.Arbitrary<RandomSelect> {
  return fc.gen().map((draw) => new Generator(draw, forms).generate());
}

class Generator {
  readonly #tables = new Set<string>();
  #aliases = 0;

  constructor(
    private readonly draw: fc.GeneratorValue,
    private readonly forms: NameForms,
  ) {}

  generate(): RandomSelect {
    const sql = this.#query(new Set(), new Set(), 0).replaceAll(' ', () => this.#oneOf(GAPS));
    // A blank in a quoted name stands for itself.
    return { sql: sql.replaceAll('\0', ' '), tables: this.#tables };
  }

  /**
   * @param ctes the common table expressions in scope
   * @param banned names that the dialects would understand differently: that of the expression
   *   which the query belongs to
   */
  #query(ctes: ReadonlySet<string>, banned: ReadonlySet<string>, depth: number): string {
    const forms = ['table', 'join', 'comma', 'nested', 'where', 'union', 'with', 'scalar', 'order'];
    const form = depth >= MAX_DEPTH ? 'table' : this.#oneOf(forms);
    const table = () => this.#table(ctes, banned);
    const query = () => this.#query(ctes, banned, depth + 1);
    const alias = () => this.#alias();
    switch (form) {
      case 'join':
        return `select 1 as n from ${table()} as ${alias()} join ${table()} ${alias()} on 1 = 1`;
      case 'comma':
        return `select 1 as n from ${table()} ${this.#aliasOfTable()} , ( ${query()} ) as ${alias()}`;
      case 'nested':
        return `select n from ( ${query()} ) as ${this.#aliasOfTable()}`;
      case 'where':
        return `select 1 as n from ${table()} ${alias()} where exists ( ${query()} )`;
      case 'union':
        return `select n from ( ${query()} ) ${alias()} union select n from ( ${query()} ) ${alias()}`;
      case 'scalar':
        return `select ( select max(n) from ( ${query()} ) ${alias()} ) as n`;
      case 'order':
        return `select 1 as n from ${table()} ${alias()} order by ( select max(n) from ( ${query()} ) ${alias()} )`;
      case 'with':
        return this.#with(ctes, banned, depth);
      default:
        return `select 1 as n from ${table()} as ${alias()}`;
    }
  }

  #with(ctes: ReadonlySet<string>, banned: ReadonlySet<string>, depth: number): string {
    // For SQLite, an expression inside of another one of its name refers to the outer one, without end.
    const name = this.#oneOf(TABLES.filter((table) => !banned.has(table)));
    const body = this.#query(ctes, new Set([...banned, name]), depth + 1);
    const rest = this.#query(new Set([...ctes, name]), banned, depth + 1);
    // SQLite does not compile an expression that is not used.
    return `with ${this.#written(name)} as ( ${body} ) select n from ( ${rest} ) as r union all select n from ${this.#written(name)}`;
  }

  /** Writes a table, and notes it unless the name is that of a common table expression. */
  #table(ctes: ReadonlySet<string>, banned: ReadonlySet<string>): string {
    const name = this.#oneOf(TABLES);
    if (banned.has(name) || this.draw(fc.boolean)) {
      this.#tables.add(name);
      return `${this.forms.schema}.${this.#written(name)}`;
    }
    if (!ctes.has(name)) this.#tables.add(name);
    return this.#written(name);
  }

  #alias(): string {
    this.#aliases += 1;
    return `a${this.#aliases}`;
  }

  /** An alias that looks like a table, and is none. */
  #aliasOfTable(): string {
    return this.#written(this.#oneOf(TABLES));
  }

  #written(name: string): string {
    const isPlain = /^[a-z_]+$/.test(name);
    if (isPlain && this.draw(fc.boolean)) return this.draw(fc.boolean) ? name : name.toUpperCase();
    const [open, close] = this.#oneOf(this.forms.quotes);
    return `${open}${name.replaceAll(' ', '\0')}${close}`;
  }

  #oneOf<T>(values: readonly T[]): T {
    return this.draw(fc.constantFrom, ...values);
  }
}
