/**
 * What all servers have alike. Roster counts the requests of each key, as it is shipped; it is only never too
 * many.
 */
export const ENVIRONMENT = {
  NODE_ENV: 'production',
  LOG_LEVEL: 'info',
  RATE_LIMIT: '999999999',
  MAX_RESOURCES: '999999999',
};
