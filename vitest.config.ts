import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // Several suites start an anvil node or an HTTP server of their own; two at a time is what a small machine bears.
    maxWorkers: 2,
    reporters: process.env['CI']
      ? ['default', ['junit', { outputFile: 'test-results/junit.xml' }]]
      : ['default'],
  },
});
