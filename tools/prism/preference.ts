import type { PrismHttpComponents } from '@stoplight/prism-http';

type MockOptions = Parameters<PrismHttpComponents['mock']>[0];

/** Whether the operation has an answer with the status and the example that `Prefer` names, if any. */
export function hasPreferred({ resource, config: { code, exampleKey } }: MockOptions): boolean {
  return resource.responses.some(
    (response) =>
      (code === undefined || response.code === String(code)) &&
      (exampleKey === undefined ||
        response.contents?.some(({ examples }) => examples?.some(({ key }) => key === exampleKey))),
  );
}

/** Leaves out the preferred status and example. */
export function withoutPreference(options: MockOptions): MockOptions {
  const { code, exampleKey, ...config } = options.config;
  return { ...options, config };
}
