import { createServer } from 'node:net'
import { writePreferences } from '../host/preferences.ts'
import { type Host, PortTakenError } from '../host/start.ts'
import type { DesktopState } from '../shared/desktop/desktop.ts'
import { errorMessage } from '../shared/values/text.ts'
import { handlesDeepLinks } from './links.ts'
import { launchesAtLogin } from './login.ts'

/** The gateway's port. If it is in use, the app shows that, instead of choosing another one or quitting. */
export interface GatewayPort {
  state(): DesktopState
  /** Tries to listen on the configured port. `state` has the outcome. */
  listen(): Promise<void>
  /** Listens on `port` and stores it. When that fails, keeps the current port and throws. */
  set(port: number): Promise<DesktopState>
}

/** `onChange` is called after every attempt to listen. */
export function createGatewayPort(host: Host, initialPort: number, onChange: () => void): GatewayPort {
  let configured = initialPort
  let listenError: string | null = null
  let suggestedPort: number | null = null

  const state = (): DesktopState => {
    const listening = host.listening()
    return {
      version: host.version,
      baseUrl: listening?.baseUrl ?? null,
      port: listening?.port ?? configured,
      listenError,
      suggestedPort,
      dataDir: host.dataDir,
      launchAtLogin: launchesAtLogin(),
      handlesDeepLinks: handlesDeepLinks(),
      platform: process.platform,
    }
  }

  const listen = async () => {
    try {
      await host.listen(configured)
      listenError = null
      suggestedPort = null
    } catch (error) {
      listenError = errorMessage(error)
      suggestedPort = error instanceof PortTakenError ? await freePortAfter(configured) : null
    }
    onChange()
  }

  return {
    state,
    listen,
    async set(port) {
      const previous = host.listening()
      const previouslyConfigured = configured
      configured = port
      await listen()
      if (listenError === null) {
        writePreferences(host.dataDir, { port })
      } else if (previous) {
        // Clients of the old port can still reach the gateway, and the user sees why the new port failed.
        const reason = listenError
        configured = previouslyConfigured === 0 ? previous.port : previouslyConfigured
        await listen()
        throw new Error(reason)
      }
      return state()
    },
  }
}

const MAX_ATTEMPTS = 50

/** The first free loopback port above `taken`, or null when the next 50 are all in use. */
async function freePortAfter(taken: number): Promise<number | null> {
  for (let port = taken + 1; port <= Math.min(taken + MAX_ATTEMPTS, 65535); port++) {
    if ((await isFree(port, '127.0.0.1')) && (await isFree(port, '::1'))) return port
  }
  return null
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    // A machine without IPv6 cannot bind ::1 at all; the port is still free.
    server.once('error', (error) => resolve('code' in error && error.code === 'EADDRNOTAVAIL'))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}
