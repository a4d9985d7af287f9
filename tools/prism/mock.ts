import {
  type IHttpRequest,
  type IHttpResponse,
  type PrismHttpComponents,
  ProblemJsonError,
} from '@stoplight/prism-http';
import mocker from '@stoplight/prism-http/dist/mocker/index.js';
import { asBadRequest, faultsOf, withFaults } from './invalid-request.js';
import { pageOf } from './page.js';
import { hasPreferred, withoutPreference } from './preference.js';
import { withRequestedNames } from './requested-names.js';

type Mock = PrismHttpComponents['mock'];
type MockOptions = Parameters<Mock>[0];
type Answer = ReturnType<ReturnType<Mock>>;

/** Gets each request that the mock refuses, or whose preference it ignores, with the reasons. */
export type Note = (request: IHttpRequest, reasons: string[]) => void;

/** Makes the component of Prism that answers a request. Headers that the contract shows as left out are left out. */
export function createMock(paths: () => readonly string[], note: Note): Mock {
  const mock = createExampleMock(paths, note);
  return (options) => (logger) => changed(mock(options)(logger), withoutEmptyHeaders);
}

/**
 * Makes the component of Prism that chooses an example for a request. A request that is invalid, or accepts no media
 * type of the answer, gets the contract's problem; a list is paged; a resource has the name that the request gives
 * it. An example that is preferred by its name is answered as it is in the contract.
 * @param paths the paths of the contract
 */
function createExampleMock(paths: () => readonly string[], note: Note): Mock {
  return (options) => (logger) => {
    const choose = (from: MockOptions): Answer => {
      try {
        // Prism would make up a million items for a list with `Prefer: dynamic=true`.
        return mocker.default({ ...from, config: { ...from.config, dynamic: false } })(logger);
      } catch (cause) {
        // Prism throws at a header that it cannot parse, such as `Accept: ,`.
        return { _tag: 'Left', left: new Error('Prism cannot read this request', { cause }) };
      }
    };
    const { data: request } = options.input;

    const faults = faultsOf(options);
    if (faults.length > 0) {
      const reasons = faults.map(({ pointer, message }) => `${pointer} ${message}`.trim());
      note(request, reasons);
      const isNamed = options.config.exampleKey !== undefined;
      return changed(choose(asBadRequest(options)), (problem) =>
        isNamed ? problem : withFaults(problem, faults),
      );
    }

    const isPreferred = hasPreferred(options);
    if (!isPreferred) note(request, ['Prefer is ignored: the contract has no such answer here']);
    const answerable = isPreferred ? options : withoutPreference(options);
    const isNamed = answerable.config.exampleKey !== undefined;
    const answer = choose(answerable);
    if (isNotAcceptable(answer)) return choose(asNotAcceptable(options));
    return changed(answer, (example) => {
      if (example.statusCode >= 300) return example;
      const { path } = options.resource;
      const named = isNamed ? example : withRequestedNames(request, path, example, paths());
      return pageOf(request, named);
    });
  };
}

function changed(answer: Answer, change: (response: IHttpResponse) => IHttpResponse): Answer {
  return answer._tag === 'Right' ? { ...answer, right: change(answer.right) } : answer;
}

function withoutEmptyHeaders(response: IHttpResponse): IHttpResponse {
  const sent = Object.entries(response.headers ?? {}).filter(([, value]) => value !== '');
  return { ...response, headers: Object.fromEntries(sent) };
}

function isNotAcceptable(answer: Answer): boolean {
  return (
    answer._tag === 'Left' && answer.left instanceof ProblemJsonError && answer.left.status === 406
  );
}

function asNotAcceptable(options: MockOptions): MockOptions {
  const config = { dynamic: false, code: 406, mediaTypes: ['application/problem+json'] };
  return { ...options, config };
}
