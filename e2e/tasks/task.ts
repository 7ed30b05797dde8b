// Owns what the tasks of all views share: who does them, in which app, and the traffic that some of them need.
import type { ElectronApplication } from '@playwright/test'
import OpenAI from 'openai'
import { KeyCreated } from '../../src/shared/keys.ts'
import type { App } from '../app.ts'
import type { Hand } from '../input-drivers/input-driver.ts'

/** The main acts of one view, done from wherever the window stands. Throws when one does not come out. */
export type Task = (hand: Hand, app: App) => Promise<void>

/** A client with a new key, which the API makes: it is not the act that is looked at. */
export async function newClient({ state, send }: App, keyName: string): Promise<OpenAI> {
  const { secret } = await send('POST', '/v1/keys', { name: keyName, scope: 'full' }, KeyCreated)
  return new OpenAI({ baseURL: `${(await state()).baseUrl}/v1`, apiKey: secret, maxRetries: 0 })
}

export function clipboard(electron: ElectronApplication): Promise<string> {
  return electron.evaluate((api) => api.clipboard.readText())
}
