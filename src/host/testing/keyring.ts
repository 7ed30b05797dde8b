// A session bus and a real gnome-keyring for tests, in a temporary home, so that the user's own keyring is not touched.
import { execFile } from 'node:child_process'
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { SOURCE_FLAGS } from '../../gateway/testing/source-flags.ts'

const COMMANDS = ['dbus-run-session', 'dbus-send', 'gnome-keyring-daemon']
const child = join(import.meta.dirname, 'keyring-child.ts')

/** `absent`: a session bus without a keyring. `no-bus`: no session bus either. */
type KeyringState = 'unlocked' | 'locked' | 'absent' | 'no-bus'

/** One step of a session. */
export type KeyringStep =
  | { do: 'get' | 'delete'; account: string }
  | { do: 'set'; account: string; secret: string }
  | { do: 'call'; method: string; path: string; body?: object }

export interface KeyringHome {
  /** Runs the steps in a new process, in a session whose keyring is in `state`. */
  session(state: KeyringState, steps: readonly KeyringStep[]): Promise<StepResult[]>
  /** Deletes every keyring, as a reinstalled system does. */
  forgetKeyring(): void
  remove(): void
}

export type StepResult =
  | { value: string | null }
  | { failed: string; kind: string }
  | { status: number; json: { error?: { code?: string; message: string } } & Record<string, unknown> }

/** Why this machine cannot run a keyring, or null when it can. */
export function keyringMissing(): string | null {
  if (process.platform !== 'linux') return 'gnome-keyring is for Linux only'
  const missing = COMMANDS.filter((command) => !isCommand(command))
  return missing.length === 0 ? null : `not installed: ${missing.join(', ')}`
}

// A bus without service activation, so that it starts neither the user's keyring nor its password prompt.
const BUS = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <auth>EXTERNAL</auth>
  <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>
</busconfig>`

const OWNED =
  'dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner string:org.freedesktop.secrets'

/** Runs `daemon` until the steps are done. The keyring is ready once its bus name has an owner. */
const withDaemon = (daemon: string) => `
${daemon} >/dev/null 2>&1 &
keyring=$!
trap 'kill $keyring; wait $keyring' EXIT
for try in $(seq 250); do ${OWNED} | grep -q true && break; sleep 0.02; done
"$@"`

const SCRIPTS: Record<Exclude<KeyringState, 'no-bus'>, string> = {
  unlocked: withDaemon('echo -n test | exec gnome-keyring-daemon --foreground --unlock --components=secrets'),
  locked: withDaemon('gnome-keyring-daemon --foreground --components=secrets'),
  absent: '"$@"',
}

export function keyringHome(): KeyringHome {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-keyring-'))
  const bus = join(home, 'bus.conf')
  writeFileSync(bus, BUS)
  const folders = { data: 'data', config: 'config', cache: 'cache', runtime: 'run', gateway: 'gateway' }
  for (const name of Object.values(folders)) mkdirSync(join(home, name), { mode: 0o700 })
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    HOME: home,
    XDG_DATA_HOME: join(home, folders.data),
    XDG_CONFIG_HOME: join(home, folders.config),
    XDG_CACHE_HOME: join(home, folders.cache),
    XDG_RUNTIME_DIR: join(home, folders.runtime),
    TOLLGATE_DATA_DIR: join(home, folders.gateway),
  }
  for (const name of ['DBUS_SESSION_BUS_ADDRESS', 'DISPLAY', 'WAYLAND_DISPLAY']) delete env[name]

  return {
    async session(state, steps) {
      const work = [process.execPath, ...SOURCE_FLAGS, child, JSON.stringify(steps)]
      const [command = '', ...args] =
        state === 'no-bus'
          ? work
          : ['dbus-run-session', `--config-file=${bus}`, '--', 'bash', '-c', SCRIPTS[state], 'bash', ...work]
      // Ends a session that hangs, whatever else the machine does.
      const { stdout } = await promisify(execFile)(command, args, { env, timeout: 120_000 })
      return JSON.parse(stdout)
    },
    forgetKeyring: () => rmSync(join(home, folders.data, 'keyrings'), { recursive: true }),
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}

function isCommand(name: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((dir) => {
    try {
      accessSync(join(dir, name), constants.X_OK)
      return dir !== ''
    } catch {
      return false
    }
  })
}
