const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;

/** Returns whether a text has the form of a name, as resources and settings have them; an identifier has it, too. */
export function isName(text: string): boolean {
  return NAME.test(text);
}
