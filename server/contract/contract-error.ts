/** The contract has faults; the message says where, a line each. */
export class ContractError extends Error {}
