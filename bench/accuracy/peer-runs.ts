import { type Figures, measure } from './measures.js';
import { type Peer, PeerCache, Peers } from './peers.js';
import type { DataTable, Split } from './tables.js';

/** Measures the peers, or finds figures that were kept. */
export class PeerRuns {
  readonly #cache: PeerCache | undefined;
  readonly #isCachedOnly: boolean;
  #peers: Peers | undefined;

  constructor(folder: string | undefined, isCachedOnly: boolean) {
    this.#cache = folder === undefined ? undefined : new PeerCache(folder);
    this.#isCachedOnly = isCachedOnly;
  }

  close(): void {
    this.#peers?.close();
  }

  async figures(table: DataTable, split: Split, peer: Peer): Promise<Figures | undefined> {
    const kept = await this.#cache?.find(table, split, peer);
    if (kept || this.#isCachedOnly) return kept;
    this.#peers ??= Peers.start();
    if (!this.#peers) return undefined;
    const figures = measure(table, split, await this.#peers.answer(table, split, peer));
    await this.#cache?.keep(table, split, peer, figures);
    return figures;
  }
}
