import type { Problem } from '../contract/problems.js';
import { ProblemError } from '../problem-error.js';

/** Bytes of a line that are kept; the problem of a stream is far shorter. */
const MAX_KEPT = 1024 * 1024;
const LF = 10;

/**
 * Passes lines of JSON on unchanged, and fails after the last one if that is the problem with which
 * the service ended the answer early. A problem of a single line has its number in `line`, and is
 * no end.
 */
export function refuseEarlyEnd(response: Response): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let pieces: Uint8Array<ArrayBuffer>[] = [];
  let kept = 0;
  const keep = (piece: Uint8Array<ArrayBuffer>) => {
    kept += piece.length;
    if (kept <= MAX_KEPT) pieces.push(piece);
    else pieces = [];
  };
  return new TransformStream({
    transform(chunk, controller) {
      if (chunk.length === 0) return;
      controller.enqueue(chunk);
      // A line feed at the end of the chunk ends the line that may be the last.
      const end = chunk.at(-1) === LF ? chunk.length - 1 : chunk.length;
      const begin = chunk.subarray(0, end).lastIndexOf(LF) + 1;
      const followsLine = pieces.at(-1)?.at(-1) === LF;
      if (begin > 0 || followsLine) {
        pieces = [];
        kept = 0;
      }
      // A copy: the reader of the chunk may transfer it.
      keep(new Uint8Array(chunk.subarray(begin)));
    },
    async flush(controller) {
      const problem = endingProblem(await new Blob(pieces).text());
      if (problem) controller.error(new ProblemError(problem, response));
    },
  });
}

function endingProblem(line: string): Problem | undefined {
  if (!line.startsWith('{"problem":')) return undefined;
  const { problem }: { problem: Problem } = JSON.parse(line);
  return 'line' in problem ? undefined : problem;
}
