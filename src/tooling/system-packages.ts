import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { run } from './commands.ts'

const list = (...lines: readonly string[]) =>
  lines.flatMap((line) => line.split(' ').map((names) => names.split('|')))

/** Debian packages, each with its name since the 64-bit time_t transition (Debian 13) first where it changed. */
const PACKAGES: readonly (readonly string[])[] = list(
  'xvfb xauth libgtk-3-0t64|libgtk-3-0 libnss3 libasound2t64|libasound2 libgbm1 libnotify4 libxss1 libxtst6',
  'libsecret-1-0 gnome-keyring dbus fonts-dejavu-core curl x11-utils',
)

/** The packages for `npm run bench -- --only proxies`. */
export const PROXY_PACKAGES: readonly (readonly string[])[] = list('haproxy nginx')

/** The additional packages for `npm run test:long`. */
export const LONG_PACKAGES: readonly (readonly string[])[] = [
  ...list('zsh fish prometheus g++ squid dante-server libnss-wrapper openssl'),
  ...PROXY_PACKAGES,
]

/** Commands that other Linux systems must provide. */
const COMMANDS = ['xvfb-run', 'dbus-run-session', 'gnome-keyring-daemon', 'curl', 'xwininfo']

/** Ensures what the end-to-end tests need, and more, as `ensurePackages` does. */
export async function ensureSystemPackages(more: readonly (readonly string[])[] = []): Promise<boolean> {
  return await ensurePackages([...PACKAGES, ...more], [...COMMANDS, ...more.flat()])
}

/**
 * Checks that the system has these packages, and installs them as root on Debian. Elsewhere, checks that it has their commands.
 * Returns false after printing what is missing.
 */
export async function ensurePackages(
  packages: readonly (readonly string[])[],
  commands: readonly string[] = packages.flat(),
): Promise<boolean> {
  if (process.platform !== 'linux') return true
  if (!onPath('dpkg-query')) return report(commands.filter((command) => !onPath(command)))
  const missing = packages.filter((names) => !names.some(isInstalled))
  if (missing.length === 0) return true
  if (process.getuid?.() !== 0) return report(missing.map((names) => names.join(' or ')))

  console.log(`Installing Debian packages: ${missing.map((names) => names.at(-1)).join(' ')}`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const updated = await run('apt-get', ['-qq', 'update'], { stdio: 'pipe', env })
  const wanted = missing.map((names) => names.find(hasCandidate) ?? names.join('|'))
  const args = ['-qq', '-y', '--no-install-recommends', 'install', ...wanted]
  const installed = await run('apt-get', args, { stdio: 'pipe', env })
  if (installed.code === 0) return true
  console.error(`${updated.output}${installed.output}`)
  return report(wanted)
}

function report(missing: readonly string[]): boolean {
  if (missing.length === 0) return true
  console.error(`The tests need these, which are not installed:\n  ${missing.join('\n  ')}`)
  console.error('Install them as root and run again.')
  return false
}

function onPath(command: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((dir) => dir && existsSync(join(dir, command)))
}

function isInstalled(name: string): boolean {
  const { stdout } = spawnSync('dpkg-query', ['--status', name], { encoding: 'utf8' })
  return stdout.includes('\nStatus: install ok installed\n')
}

function hasCandidate(name: string): boolean {
  const env = { ...process.env, LC_ALL: 'C' }
  const { stdout } = spawnSync('apt-cache', ['policy', name], { encoding: 'utf8', env })
  return /Candidate: (?!\(none\))/.test(stdout)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.exitCode = (await ensureSystemPackages()) ? 0 : 1
}
