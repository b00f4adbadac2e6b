# rollupd as it is published: built from this folder, run by a user that owns its data folder alone.
#   docker build -t rollupd . && docker run -e ROLLUPD_TOKEN=... -p 8090:8090 -v rollupd-data:/data rollupd

FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
# the image brings Node: the pinned one of the checkout isn't needed
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN node node_modules/typescript/bin/tsc -p tsconfig.build.json

FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && npm cache clean --force

FROM node:24-slim
ENV NODE_ENV=production ROLLUPD_DATA=/data ROLLUPD_LISTEN=0.0.0.0:8090
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /build/dist dist
COPY package.json LICENSE README.md ./
COPY sql sql
COPY migrations migrations
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8090
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=5 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8090/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node is process 1 and gets SIGTERM itself: rollupd drains and commits within 10 s
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "dist/main/cli.js"]
CMD ["serve"]
