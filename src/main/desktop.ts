// Owns what the desktop knows and does about the gateway's port, and answers the window's calls. The wanted port being
// taken is a state to show, not a reason to move or to stop.
import { shell } from 'electron'
import { freePortAfter } from '../host/ports.ts'
import { writePreferences } from '../host/preferences.ts'
import { type Host, PortTakenError } from '../host/start.ts'
import { type DesktopState, desktopCalls, EXTERNAL_ORIGINS } from '../shared/desktop.ts'
import { answer, type DesktopHandlers } from './ipc.ts'
import { launchesAtLogin, setLaunchAtLogin } from './login.ts'
import { relaunch } from './relaunch.ts'

export interface Desktop {
  state(): DesktopState
  /** Tries to listen where it should; the outcome is in the state. */
  listen(): Promise<void>
  answers: DesktopHandlers
}

/** `port`: where to listen. `onChange` is called when where it listens has changed. */
export function createDesktop(host: Host, port: number, onChange: () => void): Desktop {
  let wanted = port
  let listenError: string | null = null
  let suggestedPort: number | null = null

  const state = (): DesktopState => {
    const listening = host.listening()
    return {
      version: host.version,
      baseUrl: listening?.baseUrl ?? null,
      port: listening?.port ?? wanted,
      listenError,
      suggestedPort,
      dataDir: host.dataDir,
      launchAtLogin: launchesAtLogin(),
      platform: process.platform,
    }
  }

  const listen = async () => {
    try {
      await host.listen(wanted)
      listenError = null
      suggestedPort = null
    } catch (error) {
      listenError = error instanceof Error ? error.message : String(error)
      suggestedPort = error instanceof PortTakenError ? await freePortAfter(wanted) : null
    }
    onChange()
  }

  const setPort = async (chosen: number): Promise<DesktopState> => {
    const before = host.listening()
    const wantedBefore = wanted
    wanted = chosen
    await listen()
    if (listenError === null) {
      writePreferences(host.dataDir, { port: chosen })
    } else if (before) {
      // It worked before: clients that use the old port keep their gateway, and the user learns why.
      const refusal = listenError
      wanted = wantedBefore === 0 ? before.port : wantedBefore
      await listen()
      throw new Error(refusal)
    }
    return state()
  }

  return {
    state,
    listen,
    answers: {
      getState: answer(desktopCalls.getState, state),
      setPort: answer(desktopCalls.setPort, setPort),
      setLaunchAtLogin: answer(desktopCalls.setLaunchAtLogin, async (on) => {
        await setLaunchAtLogin(on)
        return state()
      }),
      openExternal: answer(desktopCalls.openExternal, async (url) => {
        const { origin } = new URL(url)
        if (!EXTERNAL_ORIGINS.some((known) => known === origin)) {
          throw new Error(`Tollgate does not open pages of ${origin}.`)
        }
        await shell.openExternal(url)
        return null
      }),
      relaunch: answer(desktopCalls.relaunch, () => {
        relaunch()
        return null
      }),
      revealDataDir: answer(desktopCalls.revealDataDir, async () => {
        const failure = await shell.openPath(host.dataDir)
        if (failure) throw new Error(failure)
        return null
      }),
    },
  }
}
