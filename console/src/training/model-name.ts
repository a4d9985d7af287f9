import { forms } from 'virtual:contract-forms';

/** The rule for names is the same for everything that is named. */
const { pattern = '', maxLength = 100 } = forms.project.fields['name'] ?? {};
// bounded: a name, in the form of the contract, whose patterns are checked, too
const RULE = new RegExp(pattern, 'u');

/** Makes a name of a model from the name of a file: "Umsätze 2026.csv" becomes "Umsatze_2026". */
export function nameFromFile(fileName: string): string {
  return nameFrom(fileName.replace(/\.[^.]*$/, ''), 'model');
}

/**
 * Makes a name of any text: "Umsätze 2026" becomes "Umsatze_2026".
 * @param otherwise the name if nothing of the text can stay
 */
export function nameFrom(text: string, otherwise: string): string {
  const name = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9.-]+/g, '_')
    // bounded: the name of a file, or of a column of at most 1000 characters
    .replace(/^[_.-]+|[_.-]+$/g, '')
    .slice(0, maxLength);
  return isName(name) ? name : otherwise;
}

/** Returns whether something can have this name. */
export function isName(name: string): boolean {
  return name.length <= maxLength && RULE.test(name);
}
