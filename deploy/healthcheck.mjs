// Exit status 0 when the service in this container answers GET /health. Asks what PORT and HOST say, like the service.
const port = process.env.PORT?.trim() || '3000';
const host = process.env.HOST?.trim() || '0.0.0.0';
const name =
  host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
try {
  const response = await fetch(`http://${name}:${port}/health`, {
    signal: AbortSignal.timeout(2_500),
    redirect: 'error',
  });
  process.exitCode = response.status === 200 && (await response.text()) === 'ok' ? 0 : 1;
} catch {
  process.exitCode = 1;
}
