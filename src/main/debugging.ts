/**
 * Switches that would let other programs control the packaged app. A debugging port gives full access to the keys, the
 * provider credentials and the ledger.
 */
const SWITCHES = [
  'remote-debugging-port',
  'remote-debugging-pipe',
  'remote-debugging-address',
  'remote-allow-origins',
  'inspect',
  'inspect-brk',
  'inspect-port',
  'disable-web-security',
] as const

/** Why the app must not start with these switches, as a sentence; null when it may. */
export function refusedSwitch(hasSwitch: (name: string) => boolean): string | null {
  const found = SWITCHES.find((name) => hasSwitch(name))
  if (found === undefined) return null
  return `Tollgate does not start with --${found}: it would let other programs act as you. Start it without this switch.`
}
