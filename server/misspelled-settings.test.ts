import { expect, test } from 'vitest';
import { findMisspelledSettings } from './misspelled-settings.js';
import { SETTINGS } from './settings.js';

test.each([
  ['RATELIMIT', 'RATE_LIMIT'],
  ['rate_limit', 'RATE_LIMIT'],
  ['MAX_BODDY', 'MAX_BODY'],
  ['MAX_RESOURCE', 'MAX_RESOURCES'],
  ['ALLOWED_ORIGIN', 'ALLOWED_ORIGINS'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['CHAT_KEYFILE', 'CHAT_KEY_FILE'],
  ['ROSTER_PORT', 'PORT'],
  ['PREDICTION_THREADS', 'PREDICTION_WORKERS'],
  ['ROSTER_DATABASE_URL', 'DATABASE_URL'],
])('%s is reported as %s', (name, setting) => {
  expect(findMisspelledSettings({ [name]: 'secret' })).toEqual([`${name} is not a setting, ${setting} is`]);
});

test('the settings themselves are not misspellings, nor is what stands beside a setting that is set', () => {
  const all = Object.fromEntries(SETTINGS.map((name) => [name, 'set']));
  expect(findMisspelledSettings({ ...all, DATABASE_URI: 'of another program' })).toEqual([]);
});

test('the variables of shells, npm, CI, containers and other programs are none', () => {
  const names = [
    ...['HOME', 'HOSTNAME', 'HOSTTYPE', 'PATH', 'POST', 'SHELL', 'TERM', 'LANG', 'LOGNAME', 'PWD'],
    ...['DATABASE', 'DATABASE_HOST', 'DATABASE_NAME', 'DATABASE_PASSWORD', 'DATABASE_PORT'],
    ...['DATABASE_USER', 'DB_URL', 'POSTGRES_URL', 'BASE_URL', 'BASEDIR', 'API_KEY', 'REPORT'],
    ...['NODE_ENV', 'NODE_OPTIONS', 'npm_config_loglevel', 'npm_config_cache', 'npm_package_json'],
    ...['GITHUB_BASE_REF', 'RUNNER_TEMP', 'CI', 'KUBERNETES_PORT', 'KUBERNETES_SERVICE_HOST'],
    ...['OTEL_LOG_LEVEL', 'RUST_LOG', 'PGHOST', 'PGPORT', 'NGINX_BIN', 'CHROME_BIN', 'MAX_OLD'],
    ...['ROSTER_URL', 'ROSTER_KEY', 'ROSTER_SERVICE_HOST', 'ROSTER_SERVICE_PORT'],
    ...['ROSTER_PORT_4000_TCP_ADDR', 'ROSTER_PORT_4000_TCP_PROTO', 'ROSTER_PORT_4000_TCP_PORT'],
  ];
  const ordinary = Object.fromEntries(names.map((name) => [name, 'set']));
  // Kubernetes describes a service named "roster" so.
  const env = { ...process.env, ...ordinary, ROSTER_PORT: 'tcp://10.0.0.7:4000' };
  expect(findMisspelledSettings(env)).toEqual([]);
});
