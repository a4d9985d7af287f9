/** The vitest projects whose tests exercise the contract against the server. */
export const RECORDED: readonly string[] = ['unit', 'server', 'postgres'];
