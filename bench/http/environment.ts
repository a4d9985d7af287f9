/**
 * The environment that all servers share. Roster counts the requests of each key, as shipped, with a limit that
 * is never reached.
 */
export const ENVIRONMENT = {
  NODE_ENV: 'production',
  LOG_LEVEL: 'info',
  RATE_LIMIT: '999999999',
  MAX_RESOURCES: '999999999',
};
