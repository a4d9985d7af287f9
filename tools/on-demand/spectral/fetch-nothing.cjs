/** The resolver of references for Spectral: by default it fetches addresses and reads files that a contract names. */
const { Resolver } = require('@stoplight/spectral-ref-resolver');

module.exports = new Resolver({ resolvers: {} });
