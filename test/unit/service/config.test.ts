import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import {
  ConfigError,
  SETTINGS,
  describeSettings,
  readConfig,
  secretUrls,
} from '../../../src/service/config.ts';
import { STANDARD_PRICE_SOURCES } from '../../../src/stages/1-fetch/prices/priceSources.ts';

describe('readConfig', () => {
  it('takes defaults, and empty variables for absent ones', () => {
    const config = readConfig({ RPC_URL: '', PORT: ' ' });
    expect(config).toMatchObject({
      rpcUrls: [],
      traceUrl: null,
      port: 3000,
      adminPort: null,
      logLevel: 'info',
    });
    expect(Object.keys(config)).toEqual(Object.keys(SETTINGS));
  });

  it('reads several endpoints', () => {
    const config = readConfig({
      RPC_URL: 'https://a.example/KEY, http://b.example',
      TRACE_URL: 'https://t.example',
      PORT: '0',
      ADMIN_PORT: '9100',
    });
    expect(config).toMatchObject({
      rpcUrls: ['https://a.example/KEY', 'http://b.example'],
      port: 0,
      adminPort: 9100,
    });
    expect(secretUrls(config)).toEqual(['https://a.example/KEY', 'http://b.example', 'https://t.example']);
  });

  it('lists everything that is wrong, without repeating what may be secret', () => {
    let error: unknown;
    try {
      readConfig({
        RPC_URL: 'https://ok.example,s3cret-key,ftp://u:s3cret@x',
        TRACE_URL: 's3cret',
        PORT: '70000',
        RPC_RETRIES: '-1',
        LOG_LEVEL: 'loud',
        MAX_QUEUE: '1e3',
      });
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).problems).toEqual([
      'RPC_URL entry 2, 3 is not an http(s) URL',
      'TRACE_URL is not an http(s) URL',
      'PORT must be a whole number from 0 to 65535',
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent',
      'RPC_RETRIES must be a whole number from 0 to 20',
      'MAX_QUEUE must be a whole number from 0 to 100000',
    ]);
    expect(String(error)).not.toContain('s3cret');
  });

  it('reads the price sources, and wants an address for the one over HTTP', () => {
    expect(readConfig({}).priceSources).toBeNull();
    expect(readConfig({ PRICE_SOURCES: 'chainlink, twap,chainlink' }).priceSources).toEqual([
      'chainlink',
      'twap',
    ]);
    expect(() => readConfig({ PRICE_SOURCES: 'chainlink,oracle' })).toThrow(
      'PRICE_SOURCES must be some of chainlink, vault, wrapper, lp, twap, http',
    );
    expect(() => readConfig({ PRICE_SOURCES: 'http' })).toThrow(
      'PRICE_SOURCES names http, and PRICE_API_URL is not set',
    );
    expect(readConfig({ PRICE_SOURCES: 'http', PRICE_API_URL: 'https://p.example' }).priceSources).toEqual([
      'http',
    ]);
  });

  it('has defaults that its own settings would be', () => {
    const ajv = new Ajv2020({
      strictTypes: false,
      formats: { 'http-url': true, 'http-urls': true, 'price-apis': true, networks: true },
    });
    for (const keyword of ['env', 'shown']) ajv.addKeyword(keyword);
    const schema = JSON.parse(
      readFileSync(new URL('../../../schemas/settings.schema.json', import.meta.url), 'utf8'),
    );
    expect(ajv.validate(schema, readConfig({}))).toBe(true);
    expect(SETTINGS.priceSources.shown).toBe(STANDARD_PRICE_SOURCES.join(','));
  });

  it('describes every setting', () => {
    const text = describeSettings();
    for (const { env } of Object.values(SETTINGS)) expect(text).toContain(env);
  });
});
