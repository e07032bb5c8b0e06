#!/usr/bin/env node
import module from 'node:module';

// Keeps compiled code between runs, where Node.js has the function: from 22.1.
(module as { enableCompileCache?: () => unknown }).enableCompileCache?.();
await import('./runCli.ts');
