// Keys of gateways behind a proxy that distributes them by their hash.
import { once } from 'node:events'
import { connect } from 'node:net'
import { Agent, fetch } from 'undici'
import type { TestClient } from '../../gateway/testing/gateway.ts'
import { waitFor } from './clock.ts'
import { createKey } from './gateway.ts'

/** Each is the right one with a probability of a half. */
const ATTEMPTS = 64

/** A new key of the gateway, which the proxy at `origin` sends to it. */
export async function findKeyFor(admin: TestClient, origin: string): Promise<string> {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const secret = await createKey(admin)
      const headers = { authorization: `Bearer ${secret}` }
      const { status } = await fetch(`${origin}/v1/key`, { dispatcher, headers })
      if (status === 200) return secret
      if (status !== 401) throw new Error(`The proxy answered with ${status}.`)
    }
  } finally {
    await dispatcher.destroy()
  }
  throw new Error(`The proxy sent none of ${ATTEMPTS} keys to its gateway.`)
}

export async function waitUntilListening(port: number): Promise<void> {
  await waitFor(async () => {
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return true
    } catch {
      return null
    } finally {
      socket.destroy()
    }
  })
}
