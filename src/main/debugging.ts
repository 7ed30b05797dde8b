/**
 * Switches of Chromium, Electron and Node that would let other programs control the packaged app, run programs in its name,
 * or read its traffic. A debugging port gives full access to the keys, the provider credentials and the ledger.
 */
const SWITCHES = [
  'remote-debugging-port',
  'remote-debugging-pipe',
  'remote-debugging-address',
  'remote-debugging-io-pipes',
  'remote-debugging-socket-name',
  'remote-allow-origins',
  'inspect',
  'inspect-brk',
  'inspect-port',
  'inspect-wait',
  'inspect-publish-uid',
  'debug',
  'debug-brk',
  'debug-port',
  'js-flags',
  'auto-open-devtools-for-tabs',
  'custom-devtools-frontend',
  'load-extension',
  'disable-extensions-except',
  'disable-web-security',
  'allow-running-insecure-content',
  'unsafely-treat-insecure-origin-as-secure',
  'disable-site-isolation-trials',
  'enable-blink-features',
  'ignore-certificate-errors',
  'ignore-certificate-errors-spki-list',
  'host-rules',
  'host-resolver-rules',
  'proxy-server',
  'proxy-pac-url',
  'log-net-log',
  'net-log-capture-mode',
  'ssl-key-log-file',
  'log-file',
  'browser-subprocess-path',
  'renderer-cmd-prefix',
  'renderer-startup-dialog',
  'utility-cmd-prefix',
  'gpu-launcher',
  'ppapi-plugin-launcher',
  'register-pepper-plugins',
] as const

/** Why the app must not start with these switches, as a sentence; null when it may. */
export function refusedSwitch(hasSwitch: (name: string) => boolean): string | null {
  const debugSwitch = SWITCHES.find((name) => hasSwitch(name))
  if (debugSwitch === undefined) return null
  return `Tollgate does not start with --${debugSwitch}: it would let other programs act as you. Start it without this switch.`
}

/** Chromium would write the keys of its TLS connections to the file that this variable names. To be called before it starts. */
export function ignoreKeyLog(env: Record<string, string | undefined> = process.env): void {
  delete env.SSLKEYLOGFILE
}
