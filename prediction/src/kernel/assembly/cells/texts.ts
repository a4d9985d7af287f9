/* Tables that find a text's value: open addressing, the first free slot ends a search. */

/** The size in bytes of a slot: its hash, its text's address (0 where it is free), length and value, as u32. */
const SLOT: usize = 16;

/** An odd number whose bits are spread evenly: 2^64 divided by the golden ratio. */
const SPREAD: u64 = (0x9e3779b9 << 32) | 0x7f4a7c15;

/** Returns a hash of bytes. Up to seven bytes behind them are loaded, and ignored. */
function hashText(at: usize, length: u32): u32 {
  let hash: u64 = <u64>length * SPREAD;
  const end = at + length;
  for (; at + 8 <= end; at += 8) hash = mixed(hash ^ load<u64>(at));
  if (at < end) hash = mixed(hash ^ beginning(at, <u32>(end - at)));
  return <u32>(hash >> 32);
}

function mixed(hash: u64): u64 {
  const product = hash * SPREAD;
  return product ^ (product >> 29);
}

/** Returns the first one to seven bytes at an address. */
function beginning(at: usize, length: u32): u64 {
  return load<u64>(at) & (((<u64>1) << (8 * <u64>length)) - 1);
}

/** Returns whether two texts of the same length are equal. */
export function areEqual(one: usize, other: usize, length: u32): bool {
  const end = one + length;
  for (; one + 8 <= end; one += 8, other += 8) {
    if (load<u64>(one) !== load<u64>(other)) return false;
  }
  const rest = <u32>(end - one);
  return rest === 0 || beginning(one, rest) === beginning(other, rest);
}

/**
 * Adds a text to a table, unless it has it.
 *
 * @param table of a power of two of slots, at least one of which stays free.
 * @param mask the number of slots, less one.
 */
export function addText(table: usize, mask: u32, text: usize, length: u32, value: u32): void {
  const slot = findSlot(table, mask, text, length);
  if (!isFree(slot)) return;
  store<u32>(slot, hashText(text, length));
  store<u32>(slot, <u32>text, 4);
  store<u32>(slot, length, 8);
  store<u32>(slot, value, 12);
}

/** Returns the slot of a text, or the free slot where it belongs. */
export function findSlot(table: usize, mask: u32, text: usize, length: u32): usize {
  const hash = hashText(text, length);
  let index = hash & mask;
  let slot = table + SLOT * <usize>index;
  while (!isFree(slot) && !hasText(slot, hash, text, length)) {
    index = (index + 1) & mask;
    slot = table + SLOT * <usize>index;
  }
  return slot;
}

function hasText(slot: usize, hash: u32, text: usize, length: u32): bool {
  if (load<u32>(slot) !== hash || load<u32>(slot, 8) !== length) return false;
  return areEqual(slotText(slot), text, length);
}

export function isFree(slot: usize): bool {
  return load<u32>(slot, 4) === 0;
}

export function slotText(slot: usize): usize {
  return <usize>load<u32>(slot, 4);
}

export function slotLength(slot: usize): u32 {
  return load<u32>(slot, 8);
}

export function slotValue(slot: usize): u32 {
  return load<u32>(slot, 12);
}
