import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Long suites with a command of their own (`npm run test:more`): browsers, packaging, deployment and random scenarios.
    exclude: process.env['TEST_MORE'] ? [] : ['test/docs/guides.test.ts', 'test/{viewer,long,fuzz,deploy,positions,negative,soak,client,cli,mcp,faults}/**'],
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // A port taken or a process starved by its neighbours is tried again; a wrong result stays wrong.
    retry: 2,
    // Several suites start an anvil node or an HTTP server of their own; two at a time is what a small machine bears.
    maxWorkers: 2,
    reporters: process.env['CI'] ? ['default', ['junit', { outputFile: 'test-results/junit.xml' }]] : ['default'],
  },
});
