/** The contract has faults; the message lists them, one per line. */
export class ContractError extends Error {}
