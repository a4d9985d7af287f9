/** The parts of Swagger UI that the page `/docs` replaces. */
import { excerpt, type WholeContract } from './contract-excerpt.js';
import { type Contract, drawn } from './drawn-contract.js';

/** The functions of Swagger UI that plugins use. */
interface System {
  readonly React: {
    createElement(type: unknown, props?: unknown, ...children: unknown[]): unknown;
  };
}

interface LayoutProps {
  getComponent(name: string, isContainer?: boolean): unknown;
  readonly specSelectors: { loadingStatus(): 'loading' | 'success' | 'failed' | 'failedConfig' };
}

/** Draws the contract so that Swagger UI shows all of it. */
export const drawnContract = {
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (update: (contract: Contract) => unknown) => (contract: Contract) =>
          update(drawn(contract)),
      },
    },
  },
};

/** Resolves the references of an operation within what it needs: within the contract it takes four times as long. */
export const excerptResolved = {
  afterLoad({ fn }: { fn: { resolveSubtree: Resolve } }): void {
    const { resolveSubtree } = fn;
    fn.resolveSubtree = (contract, path, options) =>
      resolveSubtree(excerpt(contract, path), path, options);
  },
};

type Resolve = (
  contract: WholeContract,
  path: readonly string[],
  options?: object,
) => Promise<unknown>;

/** Lays out the operations alone: the page has a guide, and `main`, of its own. */
export function operationsLayout({ React: { createElement } }: System): object {
  const OperationsLayout = ({ getComponent, specSelectors }: LayoutProps) => {
    const part = (name: string, isContainer: boolean) =>
      createElement(getComponent(name, isContainer), { key: name });
    const status = specSelectors.loadingStatus();
    if (status === 'loading') return createElement('p', null, 'Loading…');
    if (status !== 'success') return createElement('p', null, 'The contract could not be loaded.');
    return createElement('div', { className: 'swagger-ui' }, [
      part('SvgAssets', false),
      part('errors', true),
      part('AuthorizeBtnContainer', true),
      part('operations', true),
      part('Models', true),
    ]);
  };
  return { components: { OperationsLayout } };
}

/** Shows the headers of an answer on demand: every answer has nearly the same. */
export const foldedHeaders = {
  wrapComponents: {
    headers:
      (Headers: unknown, { React: { createElement } }: System) =>
      (props: unknown) =>
        createElement(
          'details',
          { className: 'headers' },
          createElement('summary', null, 'Headers'),
          createElement(Headers, props),
        ),
  },
};

/** Shows an address as text: as a link within a button, the keyboard would reach it twice. */
export const plainAddresses = {
  wrapComponents: {
    DeepLink:
      (_DeepLink: unknown, { React: { createElement } }: System) =>
      ({ text }: { text: unknown }) =>
        createElement('span', null, text),
  },
};

const nothing = () => () => null;

/** Leaves out all that takes a key. */
export const withoutAuthorize = {
  wrapComponents: { authorizeBtn: nothing, authorizeOperationBtn: nothing },
};
