import { defineConfig, loadEnv } from 'vite';

export default defineConfig(({ mode }) => {
  const { ROSTER_URL = 'http://127.0.0.1:4000', ROSTER_KEY } = loadEnv(mode, '.', 'ROSTER_');
  return {
    server: {
      proxy: {
        '/api': {
          target: ROSTER_URL,
          configure: (proxy) =>
            proxy.on('proxyReq', (request, { headers }) => {
              if (!ROSTER_KEY || headers['sec-fetch-site'] !== 'same-origin') return;
              request.setHeader('Authorization', `Bearer ${ROSTER_KEY}`);
            }),
        },
      },
    },
  };
});
