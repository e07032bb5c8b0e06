// Dashboard, alerts and guide ask only for metrics that the service has; compose names images, ports and files that exist.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { createLimiter } from '../../src/service/http/limiter.ts';
import { createMetrics } from '../../src/service/http/metrics.ts';
import { SETTINGS, readConfig } from '../../src/service/config.ts';
import { createUpstream } from '../../src/stages/1-fetch/rpc/upstream.ts';

const ROOT = join(import.meta.dirname, '../..');
const text = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe('what operators are given', () => {
  it.each(['deploy/grafana/dashboard.json', 'deploy/prometheus/rules.yaml', 'docs/operator.md'])(
    '%s names metrics of the service',
    async (path) => {
      const upstream = createUpstream(readConfig({ RPC_URL: 'http://127.0.0.1:9' }));
      const { registry } = createMetrics(createLimiter({ maxConcurrency: 1, maxQueue: 1 }), upstream);
      const families = (await registry.getMetricsAsJSON()).map(({ name }) => name);
      await upstream.close();
      const named = new Set(text(path).match(/\btxreport_[a-z0-9_]*[a-z0-9]\b(?!\.py)/g));
      expect(named.size).toBeGreaterThan(3);
      const known = (name: string): boolean =>
        families.some((family) =>
          [family, `${family}_bucket`, `${family}_sum`, `${family}_count`].includes(name),
        );
      expect([...named].filter((name) => !known(name))).toEqual([]);
    },
  );

  it('the dashboard asks one data source, each panel with a query', () => {
    const { panels } = JSON.parse(text('deploy/grafana/dashboard.json')) as {
      panels: { type: string; title: string; targets?: { expr: string }[] }[];
    };
    const charts = panels.filter(({ type }) => type !== 'row');
    expect(charts.length).toBeGreaterThan(3);
    for (const { title, targets = [] } of charts)
      expect([title, targets.every(({ expr }) => expr.length > 0) && targets.length > 0]).toEqual([
        title,
        true,
      ]);
  });

  it('compose.yaml mounts files that exist and sets settings that exist', () => {
    const { services } = parse(text('compose.yaml')) as {
      services: Record<
        string,
        { image?: string; build?: unknown; environment?: Record<string, string>; volumes?: string[] }
      >;
    };
    const settings = new Set<string>(Object.values(SETTINGS).map(({ env }) => env));
    for (const [name, { image, build, environment = {}, volumes = [] }] of Object.entries(services)) {
      expect([name, image ?? build]).not.toContain(undefined);
      for (const volume of volumes) {
        const source = volume.split(':')[0]!;
        if (source.startsWith('.')) expect([source, existsSync(join(ROOT, source))]).toEqual([source, true]);
      }
      if (build !== undefined)
        expect(Object.keys(environment).filter((key) => !settings.has(key))).toEqual([]);
    }
  });
});
