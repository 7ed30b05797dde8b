// Owns the refusal of switches that let others into the packaged app. Whoever reaches a debugging port is the owner: of
// the keys, the credentials and the ledger.

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

/** Why the app does not start with these switches; null when it does. */
export function refusedSwitch(hasSwitch: (name: string) => boolean): string | null {
  const found = SWITCHES.find((name) => hasSwitch(name))
  if (found === undefined) return null
  return `Tollgate does not start with --${found}: it would let other programs act as you. Start it without.`
}
