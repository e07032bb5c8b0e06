# syntax=docker/dockerfile:1
# The service and the command line in one small image: docker build -t txreport .
#   docker run -p 3000:3000 -e RPC_URL=https://your-node.example txreport
#   docker run -i -e RPC_URL=https://your-node.example txreport batch < hashes.txt > reports.ndjson
# A line in long-term support; warm analyses take 0.93 of the time they take on Node.js 20, as on 26.
# Pin it by digest: --build-arg NODE_IMAGE=node:24.21.0-alpine@sha256:… (docker buildx imagetools inspect node:24.21.0-alpine).
ARG NODE_IMAGE=node:24.21.0-alpine

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --no-audit
COPY tsconfig.json ./
COPY rules ./rules
COPY schemas ./schemas
COPY scripts/build.mjs ./scripts/build.mjs
COPY scripts/bundle.mjs ./scripts/bundle.mjs
COPY src ./src
COPY viewer ./viewer
COPY test/recordings ./test/recordings
RUN npm run build

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --ignore-scripts --no-audit

FROM ${NODE_IMAGE} AS runtime
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY rules ./rules
COPY schemas ./schemas
COPY deploy/healthcheck.mjs ./deploy/healthcheck.mjs
COPY --from=build /app/dist ./dist
# The image's own unprivileged user `node`, by number: Kubernetes can only check a number against runAsNonRoot.
USER 1000:1000
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=3s --start-period=20s --retries=3 CMD ["node", "deploy/healthcheck.mjs"]
# No native code, and no prototype reached by the name an attacker could write into JSON; docs/security.md measures both.
# One thread collects the heap, as one serves, and the compiler inlines a third of what it would: threads beside the serving one take
# more processor time than they spare it. As `npm start` does.
ENTRYPOINT ["node", "--enable-source-maps", "--single-threaded-gc", "--no-allocation-site-pretenuring", "--max-semi-space-size=32", "--max-inlined-bytecode-size-cumulative=300", "--no-addons", "--disable-proto=delete", "dist/tools/cli/cli.js"]
CMD ["serve"]
