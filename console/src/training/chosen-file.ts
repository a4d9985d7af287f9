let chosen: File | undefined;

/** Keeps a file that was chosen on another view, for the view that trains with it. */
export function handOver(file: File): void {
  chosen = file;
}

/** Returns the file that was handed over, once. */
export function takeHandedOver(): File | undefined {
  const file = chosen;
  chosen = undefined;
  return file;
}
