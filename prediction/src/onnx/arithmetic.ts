import { type GraphBuilder, LONG, type Operand, type Value } from './graph.js';

/** Arithmetic of a graph in float64, rounded after each step as that of JavaScript is. */
export class Arithmetic {
  constructor(readonly graph: GraphBuilder) {}

  plus = (one: Operand, other: Operand) => this.graph.add('Add', [one, other]);
  minus = (one: Operand, other: Operand) => this.graph.add('Sub', [one, other]);
  times = (one: Operand, other: Operand) => this.graph.add('Mul', [one, other]);
  over = (one: Operand, other: Operand) => this.graph.add('Div', [one, other]);
  least = (...values: Operand[]) => this.graph.add('Min', values);
  most = (...values: Operand[]) => this.graph.add('Max', values);
  floor = (value: Operand) => this.graph.add('Floor', [value]);
  ceil = (value: Operand) => this.graph.add('Ceil', [value]);
  absolute = (value: Operand) => this.graph.add('Abs', [value]);
  atMost = (one: Operand, other: Operand) => this.graph.add('LessOrEqual', [one, other]);
  atLeast = (one: Operand, other: Operand) => this.graph.add('GreaterOrEqual', [one, other]);
  isMissing = (value: Operand) => this.graph.add('IsNaN', [value]);
  choose = (is: Value, one: Operand, other: Operand) => this.graph.add('Where', [is, one, other]);
  toIndex = (value: Operand) => this.graph.add('Cast', [value], { to: LONG });
  pick = (values: Value, indexes: Value) => this.graph.add('Gather', [values, indexes], { axis: 0 });

  /** As `Math.round` does: the nearest whole number, of two the larger. */
  round = (value: Value): Value => {
    const whole = this.floor(value);
    const goesUp = this.atLeast(this.minus(value, whole), 0.5);
    return this.choose(goesUp, this.plus(whole, 1), whole);
  };

  /** As `toFinite` does. */
  toFinite = (value: Operand): Value => this.least(this.most(value, -Number.MAX_VALUE), Number.MAX_VALUE);
}
