export function isHttps(url: string): boolean {
  return URL.canParse(url) && new URL(url).protocol === 'https:';
}
