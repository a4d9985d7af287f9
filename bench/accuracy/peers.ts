import { spawn } from 'node:child_process';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readField } from '../../testkit/json.js';
import { pythonOfThisMachine } from '../../testkit/python.js';
import { root } from '../../testkit/root.js';
import type { Answers, Figures } from './measures.js';
import type { DataTable, Split } from './tables.js';

/** By the names of `peers.py`, the strong peer first. */
export const PEERS = { xgboost: 'XGBoost', hgb: 'HGB', forest: 'random forest' } as const;
export type Peer = keyof typeof PEERS;
export const PEER_NAMES: readonly Peer[] = ['xgboost', 'hgb', 'forest'];

/** Raised when the settings of the peers change: figures of before count no longer. */
const SETTINGS = 1;

/** The peers, which answer one job after the other. */
export class Peers {
  readonly #lines: AsyncIterator<string>;
  readonly #send: (line: string) => void;
  readonly close: () => void;

  private constructor(python: string) {
    const program = fileURLToPath(new URL('bench/accuracy/peers.py', root));
    const child = spawn(python, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    this.#send = (line) => child.stdin.write(`${line}\n`);
    this.close = () => child.stdin.end();
  }

  /** Returns the peers, if a Python has their libraries (`apt-get install python3-xgboost python3-sklearn`). */
  static start(): Peers | undefined {
    const python = pythonOfThisMachine('numpy, pandas, sklearn, xgboost');
    return python === undefined ? undefined : new Peers(python);
  }

  async answer({ file, target, task, omitted }: DataTable, split: Split, peer: Peer): Promise<Answers> {
    const { training, test } = split;
    return this.#ask(JSON.stringify({ file, target, task, omitted, training, test, peer }));
  }

  async #ask(line: string): Promise<Answers> {
    this.#send(line);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('The peers ended before they answered.');
    return JSON.parse(value);
  }
}

/** Figures of the peers that a folder keeps, in a file a table. */
export class PeerCache {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async find(table: DataTable, split: Split, peer: Peer): Promise<Figures | undefined> {
    const figures = readField(await this.#read(table), keyOf(table, split, peer));
    return isFigures(figures) ? figures : undefined;
  }

  async keep(table: DataTable, split: Split, peer: Peer, figures: Figures): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const all = { ...(await this.#read(table)), [keyOf(table, split, peer)]: figures };
    const file = this.#fileOf(table);
    await writeFile(`${file}.${process.pid}`, `${JSON.stringify(all, null, 1)}\n`);
    await rename(`${file}.${process.pid}`, file);
  }

  async #read(table: DataTable): Promise<object> {
    try {
      return JSON.parse(await readFile(this.#fileOf(table), 'utf8'));
    } catch {
      return {};
    }
  }

  #fileOf({ name }: DataTable): string {
    return join(this.#folder, `${name}.json`);
  }
}

function keyOf({ digest }: DataTable, { index, training, test }: Split, peer: Peer): string {
  return `${peer} ${SETTINGS}, table ${digest}, split ${index}, ${training.length} + ${test.length} rows`;
}

function isFigures(value: unknown): value is Figures {
  return typeof readField(value, 'loss') === 'number';
}
