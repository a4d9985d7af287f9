let chosen: File | undefined;

/** The file that each model was trained with in this window, by project and name. A file is not read until it is used. */
const trained = new Map<string, File>();

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

/** Keeps the file that a model was trained with, so that it can be trained again with other parameters. */
export function keepTrained(project: string, model: string, file: File): void {
  trained.set(`${project}\n${model}`, file);
}

/** Returns the file that a model was trained with in this window. */
export function findTrained(project: string, model: string): File | undefined {
  return trained.get(`${project}\n${model}`);
}
