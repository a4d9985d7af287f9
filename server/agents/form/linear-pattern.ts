/**
 * Regular expressions of callers, matched by following all of their states at once (Thompson, 1968). A match takes
 * steps in proportion to the text times the states, and a lookahead as many again, whatever the expression; the engine
 * of JavaScript may take exponentially many.
 */

/** An expression that cannot be matched so. The message is for the caller, and continues "the pattern …". */
export class PatternError extends Error {}

/** The steps that are left. */
export interface Steps {
  /** @throws if there are none left */
  spend(count: number): void;
}

const MAX_PATTERN_LENGTH = 1000;
const MAX_STATES = 20_000;
const MAX_DEPTH = 50;

/** The states that may still be made, of one pattern or of several that are kept together. */
export class PatternStates implements Steps {
  #left = MAX_STATES;

  /** @throws {PatternError} if there are none left */
  spend(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw new PatternError('has too many repetitions, with other patterns; write shorter ones');
  }
}

type Position = '^' | '$' | '\\b' | '\\B';

type Node =
  | { readonly kind: 'char'; readonly test: (char: string) => boolean }
  | { readonly kind: 'position'; readonly position: Position }
  | { readonly kind: 'look'; readonly node: Node; readonly isNegative: boolean }
  | { readonly kind: 'sequence'; readonly nodes: readonly Node[] }
  | { readonly kind: 'choice'; readonly nodes: readonly Node[] }
  | { readonly kind: 'repeat'; readonly node: Node; readonly min: number; readonly max: number };

type State =
  | { readonly kind: 'end' }
  | { readonly kind: 'char'; readonly test: (char: string) => boolean; readonly next: State }
  | { readonly kind: 'position'; readonly position: Position; readonly next: State }
  | { readonly kind: 'look'; readonly start: State; readonly isNegative: boolean; readonly next: State }
  | { readonly kind: 'split'; readonly next: State[] };

/** An expression of ECMA-262 without back references and lookbehind. */
export class LinearPattern {
  readonly #start: State;

  /**
   * @param states those that are left for it, and for others that are kept with it
   * @throws {PatternError} if it is not valid, too long, or needs more than a walk over the text
   */
  constructor(source: string, states = new PatternStates()) {
    if (source.length > MAX_PATTERN_LENGTH) {
      throw new PatternError(`must have at most ${MAX_PATTERN_LENGTH} characters`);
    }
    const parser = new Parser(source);
    this.#start = new Builder(states).build(parser.parse(), { kind: 'end' });
  }

  /** Returns whether it matches anywhere in a text. @throws what `steps` throws */
  test(text: string, steps: Steps): boolean {
    steps.spend(text.length);
    return run(this.#start, Array.from(text), 0, true, steps);
  }
}

function run(start: State, text: readonly string[], from: number, isSearch: boolean, steps: Steps): boolean {
  let states = new Set<State>();
  for (let at = from; ; at += 1) {
    if ((isSearch || at === from) && follow(start, text, at, states, steps)) return true;
    const char = text[at];
    if (char === undefined || (states.size === 0 && !isSearch)) return false;
    const following = new Set<State>();
    steps.spend(states.size);
    for (const state of states) {
      if (state.kind !== 'char' || !state.test(char)) continue;
      if (follow(state.next, text, at + 1, following, steps)) return true;
    }
    states = following;
  }
}

/** Adds the states that are reached without a character. Returns whether the end is among them. */
function follow(start: State, text: readonly string[], at: number, reached: Set<State>, steps: Steps): boolean {
  const waiting = [start];
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
    if (state.kind === 'end') return true;
    // Also for a state that was reached before: an expression of empty choices leads to the same one a thousand times.
    steps.spend(1);
    if (reached.has(state)) continue;
    reached.add(state);
    if (state.kind === 'split') waiting.push(...state.next);
    else if (state.kind === 'position' && isAt(state.position, text, at)) waiting.push(state.next);
    else if (state.kind === 'look' && run(state.start, text, at, false, steps) !== state.isNegative) {
      waiting.push(state.next);
    }
  }
  return false;
}

function isAt(position: Position, text: readonly string[], at: number): boolean {
  if (position === '^') return at === 0;
  if (position === '$') return at === text.length;
  const isEdge = isWordCharacter(text[at - 1]) !== isWordCharacter(text[at]);
  return isEdge === (position === '\\b');
}

function isWordCharacter(char: string | undefined): boolean {
  return char !== undefined && /^\w$/.test(char);
}

/** Makes the states of an expression from its end to its beginning. */
class Builder {
  constructor(private readonly states: PatternStates) {}

  build(node: Node, next: State): State {
    this.states.spend(1);
    if (node.kind === 'char' || node.kind === 'position') return { ...node, next };
    if (node.kind === 'look') {
      return { kind: 'look', start: this.build(node.node, { kind: 'end' }), isNegative: node.isNegative, next };
    }
    if (node.kind === 'sequence') return node.nodes.reduceRight((following, one) => this.build(one, following), next);
    if (node.kind === 'choice') return { kind: 'split', next: node.nodes.map((one) => this.build(one, next)) };
    return this.#repeat(node.node, node.min, node.max, next);
  }

  #repeat(node: Node, min: number, max: number, next: State): State {
    let state = next;
    if (max === Number.POSITIVE_INFINITY) {
      const loop: State = { kind: 'split', next: [next] };
      loop.next.push(this.build(node, loop));
      state = loop;
    } else {
      for (let count = min; count < max; count += 1) {
        state = { kind: 'split', next: [next, this.build(node, state)] };
      }
    }
    for (let count = 0; count < min; count += 1) state = this.build(node, state);
    return state;
  }
}

const CLASS = /\[(?:[^\]\\]|\\.)*\]/y;
const ESCAPE =
  /\\(?:u\{[0-9A-Fa-f]{1,6}\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|c[A-Za-z]|[pP]\{[\w=]{1,50}\}|[dDwWsStnrfv0])/y;
const LITERAL_ESCAPE = /\\[^0-9A-Za-z]/uy;
const QUANTIFIER = /(?:[*+?]|\{(\d{1,5})(,(\d{0,5}))?\})\??/y;
const GROUP = /\((?:\?(?::|=|!|<[A-Za-z]\w{0,100}>))?/y;

class Parser {
  #at = 0;
  #depth = 0;

  constructor(private readonly source: string) {}

  parse(): Node {
    const node = this.#choice();
    if (this.#at < this.source.length) throw new PatternError(`has a "${this.source[this.#at]}" without its beginning`);
    return node;
  }

  #choice(): Node {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new PatternError('has too many groups in one another');
    const nodes = [this.#sequence()];
    while (this.source[this.#at] === '|') {
      this.#at += 1;
      nodes.push(this.#sequence());
    }
    this.#depth -= 1;
    return { kind: 'choice', nodes };
  }

  #sequence(): Node {
    const nodes: Node[] = [];
    for (;;) {
      const char = this.source[this.#at];
      if (char === undefined || char === '|' || char === ')') return { kind: 'sequence', nodes };
      nodes.push(this.#quantified(this.#atom()));
    }
  }

  #quantified(node: Node): Node {
    const found = this.#take(QUANTIFIER);
    if (found === undefined) return node;
    const [text, least, hasComma, most] = found;
    if (least !== undefined) {
      const min = Number(least);
      const max = hasComma === undefined ? min : most === '' ? Number.POSITIVE_INFINITY : Number(most);
      if (max < min) throw new PatternError('has a repetition whose bounds are in the wrong order');
      return { kind: 'repeat', node, min, max };
    }
    const max = text.startsWith('?') ? 1 : Number.POSITIVE_INFINITY;
    return { kind: 'repeat', node, min: text.startsWith('+') ? 1 : 0, max };
  }

  #atom(): Node {
    const char = String.fromCodePoint(this.source.codePointAt(this.#at) ?? 0);
    if (char === '(') return this.#group();
    if (char === '[') return oneOf(this.#require(CLASS));
    if (char === '\\') return this.#escape();
    if (char === '*' || char === '+' || char === '?') {
      throw new PatternError(`has a "${char}" that repeats nothing`);
    }
    this.#at += char.length;
    if (char === '^' || char === '$') return { kind: 'position', position: char };
    if (char === '.') return { kind: 'char', test: (one) => !/^[\n\r\u2028\u2029]$/.test(one) };
    return { kind: 'char', test: (one) => one === char };
  }

  #group(): Node {
    const opening = this.#require(GROUP);
    if (opening === '(' && this.source[this.#at] === '?') {
      throw new PatternError('looks behind, or has flags within a group, which are not checked here');
    }
    const node = this.#choice();
    if (this.source[this.#at] !== ')') throw new PatternError('has a group without its end');
    this.#at += 1;
    if (opening === '(?=' || opening === '(?!') return { kind: 'look', node, isNegative: opening === '(?!' };
    return node;
  }

  #escape(): Node {
    const position = this.source.slice(this.#at, this.#at + 2);
    if (position === '\\b' || position === '\\B') {
      this.#at += 2;
      return { kind: 'position', position };
    }
    const known = this.#take(ESCAPE)?.[0];
    if (known !== undefined) return oneOf(known);
    const literal = this.#take(LITERAL_ESCAPE)?.[0].slice(1);
    if (literal !== undefined) return { kind: 'char', test: (one) => one === literal };
    throw new PatternError(`has "${position}", such as a back reference, which is not checked here`);
  }

  #require(expression: RegExp): string {
    const found = this.#take(expression);
    if (found === undefined) throw new PatternError('has a class or a group without its end');
    return found[0];
  }

  #take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.source);
    if (found === null) return undefined;
    this.#at = expression.lastIndex;
    return found;
  }
}

/** Returns what matches one character of a class or an escape. */
function oneOf(source: string): Node {
  for (const flags of ['u', '']) {
    try {
      // bounded: one character, at most two code units
      const single = new RegExp(`^${source}$`, flags);
      return { kind: 'char', test: (char) => single.test(char) };
    } catch {
      // Not valid with this flag.
    }
  }
  throw new PatternError('has a class that is not valid');
}
