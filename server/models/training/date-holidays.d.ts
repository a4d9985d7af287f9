/** The part of date-holidays that is used; its own types exist only where it is installed. */
declare module 'date-holidays' {
  interface Holiday {
    /** The local date and time at which it begins, such as `2026-12-25 00:00:00`. */
    readonly date: string;
    readonly start: Date;
    readonly end: Date;
    readonly name: string;
    readonly type: string;
  }

  /** Names by code. */
  type Names = Readonly<Record<string, string>>;

  export default class Holidays {
    constructor(country?: string, state?: string, region?: string, options?: { types: string[]; languages: string });
    constructor(country: string, state: string, options: { types: string[]; languages: string });
    constructor(country: string, options: { types: string[]; languages: string });
    getCountries(language: string): Names;
    /** Undefined where there are none. */
    getStates(country: string, language: string): Names | undefined;
    getRegions(country: string, state: string, language: string): Names | undefined;
    getHolidays(year: number): readonly Holiday[];
  }
}
