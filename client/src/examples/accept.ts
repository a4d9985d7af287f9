interface MediaRange {
  readonly pattern: string;
  readonly quality: number;
}

/**
 * Returns the media type that a header `Accept` prefers (RFC 9110, section 12.5.1). Of two that it likes the same, the
 * one that it names first; without a header, the first one.
 */
export function acceptedType(accept: string | null, types: readonly string[]): string | undefined {
  const ranges = (accept || '*/*').split(',').map(mediaRange);
  const ranked = types.flatMap((type) => {
    const range = rangeFor(type, ranges);
    return range && range.quality > 0 ? [{ type, range }] : [];
  });
  // Sorting is stable: types of the same range keep their order.
  ranked.sort(
    (a, b) =>
      b.range.quality - a.range.quality ||
      specificity(b.range) - specificity(a.range) ||
      ranges.indexOf(a.range) - ranges.indexOf(b.range),
  );
  return ranked[0]?.type;
}

function mediaRange(text: string): MediaRange {
  const [pattern = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => /^q\s*=/.test(parameter))?.split('=')[1];
  return { pattern, quality: quality === undefined ? 1 : Number(quality) || 0 };
}

/** Returns the most specific range that has the type. */
function rangeFor(type: string, ranges: readonly MediaRange[]): MediaRange | undefined {
  const patterns = [type, `${type.split('/')[0]}/*`, '*/*'];
  for (const wanted of patterns) {
    const range = ranges.find(({ pattern }) => pattern === wanted);
    if (range) return range;
  }
  return undefined;
}

function specificity({ pattern }: MediaRange): number {
  if (pattern === '*/*') return 0;
  return pattern.endsWith('/*') ? 1 : 2;
}
