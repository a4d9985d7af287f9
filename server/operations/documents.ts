import type { Handlers } from '../pipeline/handlers.js';
import type { Store } from '../store/index.js';

type DocumentOperations = Pick<
  Handlers,
  'listDocuments' | 'getDocument' | 'putDocument' | 'deleteDocument'
>;

export function documentOperations(_store: Store): DocumentOperations {
  const later = async () => {
    throw new Error('in progress');
  };
  return { listDocuments: later, getDocument: later, putDocument: later, deleteDocument: later };
}
