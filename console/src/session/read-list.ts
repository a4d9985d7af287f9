import { useState } from 'preact/hooks';
import { type ListCall, pages } from 'roster-client';
import { useLoaded } from './use-loaded.js';

/** The largest page that the contract allows. */
const PAGE_SIZE = 1000;

export interface ReadOptions<Item> {
  /** Returns what tells an item from the others; its `id` by default. */
  readonly keyOf?: (item: Item) => string | number;
  /** Called after each page with all items that were read so far. */
  readonly onPage?: (read: readonly Item[]) => void;
}

/**
 * Reads a list to its end, page by page. A page without anything new ends it: the mock repeats its
 * one page for ever.
 * @throws ProblemError if the service answers with a problem
 */
export async function readList<Item extends { readonly id: string }>(
  list: ListCall<Item>,
  { keyOf = ({ id }) => id, onPage }: ReadOptions<Item> = {},
): Promise<readonly Item[]> {
  const read = new Map<string | number, Item>();
  for await (const page of pages(list, { limit: PAGE_SIZE })) {
    const before = read.size;
    for (const item of page) read.set(keyOf(item), item);
    if (read.size === before) break;
    onPage?.([...read.values()]);
  }
  return [...read.values()];
}

/** A list as far as it was read. */
export interface ListState<Item> {
  readonly items: readonly Item[];
  readonly isComplete: boolean;
  /** The reason why reading ended before the end of the list. */
  readonly error: unknown;
  reload(): void;
}

/**
 * Reads a list when a component appears; each page is there when it has been read.
 * @param inputs what the list depends on
 */
export function useList<Item extends { readonly id: string }>(
  list: (signal: AbortSignal) => ListCall<Item>,
  inputs: readonly string[],
): ListState<Item> {
  const [part, setPart] = useState<readonly Item[]>([]);
  const { loaded, reload } = useLoaded(
    (signal) => readList(list(signal), { onPage: (read) => !signal.aborted && setPart(read) }),
    inputs,
  );
  return {
    items: loaded.state === 'ready' ? loaded.value : part,
    isComplete: loaded.state === 'ready',
    error: loaded.state === 'failed' ? loaded.error : null,
    reload,
  };
}
