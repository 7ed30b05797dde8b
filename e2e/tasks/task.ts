import type { ElectronApplication } from '@playwright/test'
import OpenAI from 'openai'
import { KeyCreated } from '../../src/shared/api/keys.ts'
import type { App } from '../app.ts'
import type { InputDriver } from '../input-drivers/input-driver.ts'

/** Does the main tasks of one view, starting from any view. Throws when one fails. */
export type Task = (driver: InputDriver, app: App) => Promise<void>

/** A client with a new key. The key comes from the API, as creating one is not what is tested. */
export async function newClient({ state, send }: App, keyName: string): Promise<OpenAI> {
  const { secret } = await send('POST', '/v1/keys', { name: keyName, scope: 'full' }, KeyCreated)
  return new OpenAI({ baseURL: `${(await state()).baseUrl}/v1`, apiKey: secret, maxRetries: 0 })
}

export function clipboard(electron: ElectronApplication): Promise<string> {
  return electron.evaluate((api) => api.clipboard.readText())
}
