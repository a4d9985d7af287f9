# The service is built with everything that development needs, and runs without it.
FROM node:22 AS build
WORKDIR /roster
COPY package.json package-lock.json ./
COPY client/package.json client/
COPY prediction/package.json prediction/
COPY review/package.json review/
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build

# Packages that are not in the bundle. No install script is needed: SQLite comes built, for each platform.
FROM node:22-slim AS dependencies
WORKDIR /roster
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --workspaces=false --ignore-scripts
# Tracing, holidays and files of Parquet need them, and users of an image cannot add them.
COPY tools/on-demand/opentelemetry opentelemetry
RUN npm ci --prefix opentelemetry --ignore-scripts
COPY tools/on-demand/holidays holidays
RUN npm ci --prefix holidays --ignore-scripts
COPY tools/on-demand/duckdb duckdb
RUN npm ci --prefix duckdb --ignore-scripts

FROM node:22-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 DATABASE_URL=file:/data/roster.db
WORKDIR /roster
COPY --from=dependencies /roster/node_modules node_modules
COPY --from=dependencies /roster/opentelemetry/node_modules node_modules
COPY --from=dependencies /roster/holidays/node_modules node_modules
COPY --from=dependencies /roster/duckdb/node_modules node_modules
COPY --from=build /roster/dist/server dist/server
COPY --from=build /roster/dist/openapi dist/openapi
COPY package.json openapi.yaml LICENSE ./
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 4000
# Whether the process lives: a store that is away is not mended by another start.
HEALTHCHECK --start-period=10s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}${process.env.BASE_PATH ?? ''}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/server/main.js"]
