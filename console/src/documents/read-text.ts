/** The most bytes of a document, by the contract. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Reads the text of a file.
 * @throws RangeError with the reason why the service would refuse it
 */
export async function readText(file: File): Promise<string> {
  if (file.size > MAX_BYTES)
    throw new RangeError('It has more than 4 MiB. Split it into several documents.');
  if (file.size === 0) throw new RangeError('It is empty.');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch (error) {
    // Decoding fails with a TypeError, reading with a DOMException.
    if (!(error instanceof TypeError)) throw error;
    throw new RangeError('It is not text in UTF-8. Save it as UTF-8, and send it again.');
  }
  if (text.includes('\0'))
    throw new RangeError('It has characters U+0000, which no text has. Is it a text file?');
  return text;
}
