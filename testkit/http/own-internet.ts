/**
 * Preloaded into a service: hosts that end in `.example` have the addresses below, and port 443 of those that are
 * public is the port `OWN_INTERNET` of this machine. All that the service itself checks stays as it is.
 */
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction, Socket } from 'node:net';

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'host.example': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'other.example': ['93.184.215.15'],
  'third.example': ['93.184.215.16'],
  'inside.example': ['10.0.0.7'],
  'metadata.example': ['169.254.169.254'],
  'half.example': ['93.184.215.14', '127.0.0.1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'nat64.example': ['64:ff9b::7f00:1'],
};

Object.assign(Resolver.prototype, {
  resolve4: (hostname: string) => findAddresses(hostname, 4),
  resolve6: (hostname: string) => findAddresses(hostname, 6),
});

/** No name server answers for names below `silent.example`. */
async function findAddresses(hostname: string, version: number): Promise<readonly string[]> {
  if (hostname.endsWith('.silent.example')) return new Promise(() => {});
  const found = ADDRESSES[hostname]?.filter((address) => isIP(address) === version) ?? [];
  if (found.length === 0) throw new Error('ENOTFOUND');
  return found;
}

/** Connects to this machine once the service has accepted the addresses of a host. */
const { connect } = Socket.prototype;
Object.assign(Socket.prototype, {
  connect(this: Socket, ...args: unknown[]) {
    const [options] = args;
    if (isLookedUp(options)) {
      const { lookup } = options;
      const checked: LookupFunction = (hostname, all, callback) =>
        lookup(hostname, all, (error, address, family) => {
          if (error) callback(error, address, family);
          else callback(null, [{ address: '127.0.0.1', family: 4 }]);
        });
      args[0] = { ...options, lookup: checked, port: Number(process.env['OWN_INTERNET']) };
    }
    return Reflect.apply(connect, this, args);
  },
});

function isLookedUp(options: unknown): options is { host: string; lookup: LookupFunction } {
  if (typeof options !== 'object' || options === null) return false;
  return 'lookup' in options && 'host' in options && `${options.host}`.endsWith('.example');
}
