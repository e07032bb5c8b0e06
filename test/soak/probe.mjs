// Loaded into the service's process beside it (--import): tells over IPC what it holds, after collecting garbage.
process.on('message', () => {
  globalThis.gc?.();
  globalThis.gc?.();
  const handles = {};
  for (const handle of process._getActiveHandles()) {
    const port = handle.remotePort;
    const name =
      handle.constructor.name === 'Socket' && port !== undefined
        ? 'Socket'
        : handle.constructor.name === 'Socket'
          ? 'stream'
          : handle.constructor.name;
    handles[name] = (handles[name] ?? 0) + 1;
  }
  const resources = {};
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1;
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
  process.send({ rss, heapUsed, external, arrayBuffers, handles, resources });
});
// The channel must not keep a process alive that has stopped.
process.channel?.unref();
