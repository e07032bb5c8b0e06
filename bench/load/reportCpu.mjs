// Loaded into a measured service with --import: answers any message from its parent with the CPU time it has used, in
// microseconds, and its peak resident memory, in bytes.
if (process.send) {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send({ cpu: user + system, peak: process.resourceUsage().maxRSS * 1024 });
  });
}
