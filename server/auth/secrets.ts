import { createHmac, hash, randomInt } from 'node:crypto';

/** Neither `_`, which separates the parts, nor `-`: a double click selects the whole key. */
const CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 16;
/** 43 characters of 62 are 256 bits. */
const SECRET_LENGTH = 43;

/** The beginning of the id in a text: nothing in a key, and two characters in the texts of a consent. */
export type SecretKind = '' | 'at' | 'rt' | 'ac';

const FORM = new RegExp(`^roster_((?:ac|at|rt)?)([${CHARACTERS}]{${ID_LENGTH}})_([${CHARACTERS}]{${SECRET_LENGTH}})$`);

/**
 * A new secret: `text`, which is `roster_<kind><id>_<secret>`, is for its holder alone, the hash for the store. That is
 * the SHA-256 of the secret, in hexadecimal. A password would need a slow hash; 256 random bits are found by no search,
 * however fast.
 */
export interface NewSecret {
  readonly text: string;
  readonly hash: string;
}

/** Returns the random id of a key or of a consent. */
export function randomId(): string {
  return randomText(ID_LENGTH);
}

/** @param id that of a key which gets another secret; a random one by default */
export function createKey(id = randomId()): NewSecret & { readonly id: string } {
  return { id, ...createSecret('', id) };
}

export function createSecret(kind: SecretKind, id: string): NewSecret {
  return writeSecret(kind, id, randomText(SECRET_LENGTH));
}

/** Returns a random text from which secrets are derived. */
export function createSeed(): string {
  return randomText(SECRET_LENGTH);
}

/**
 * Returns the secret that follows from the text of another one and a seed: the same whenever it is asked for. Neither
 * the text without the seed nor the seed without the text leads to it.
 * @param purpose makes a difference between secrets of one kind
 */
export function deriveSecret(kind: SecretKind, id: string, text: string, seed: string, purpose = ''): NewSecret {
  const digest = createHmac('sha256', text).update([kind, id, seed, purpose].join('\n')).digest('hex');
  let rest = BigInt(`0x${digest}`);
  const base = BigInt(CHARACTERS.length);
  const secret = Array.from({ length: SECRET_LENGTH }, () => {
    const character = CHARACTERS[Number(rest % base)];
    rest /= base;
    return character;
  });
  return writeSecret(kind, id, secret.join(''));
}

function writeSecret(kind: SecretKind, id: string, secret: string): NewSecret {
  return { text: `roster_${kind}${id}_${secret}`, hash: hash('sha256', secret) };
}

/** The parts of a text that someone presents. */
export interface PresentedSecret<Kind extends SecretKind = SecretKind> {
  readonly kind: Kind;
  /** Of the key or the consent. */
  readonly id: string;
  readonly hash: string;
}

/**
 * Parses the text of a key or of a consent; undefined for any text that is of none of these kinds. However long the
 * text is, this looks at no more of it than a secret has.
 */
export function parseSecret<Kind extends SecretKind>(
  text: string | undefined,
  ...kinds: readonly Kind[]
): PresentedSecret<Kind> | undefined {
  const [, sent, id, secret] = FORM.exec(text ?? '') ?? [];
  if (id === undefined || secret === undefined) return undefined;
  for (const kind of kinds) if (kind === sent) return { kind, id, hash: hash('sha256', secret) };
  return undefined;
}

/** Returns a random text of so many characters, none of which a key separates its parts by. */
export function randomText(length: number): string {
  return Array.from({ length }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join('');
}
