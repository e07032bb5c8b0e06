// Every link of every page leads to a file, and to a heading where it names one.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .filter((page) => existsSync(join(ROOT, page)));

/** Anchors of a page, as GitHub makes them. */
const anchors = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  );

/** Links that lead nowhere; code is not read. */
function broken(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8').replace(/^```[\s\S]*?^```|`[^`\n]*`/gm, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)|<img[^>]* src="([^"]+)"/g)]
    .map(([, link, image]) => (link ?? image)!)
    .filter((link) => !/^(https?|mailto):/.test(link))
    .filter((link) => {
      const [path = '', anchor] = link.split('#');
      const file = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), path);
      if (!existsSync(file)) return true;
      return anchor !== undefined && !anchors(readFileSync(file, 'utf8')).includes(anchor);
    });
}

describe('the links', () => {
  it.each(pages)('of %s lead somewhere', (page) => expect(broken(page)).toEqual([]));

  it('are read', () => expect(pages.length).toBeGreaterThan(25));
});
