import type { z } from 'zod'
import type { Gateway } from '../host/start.ts'
import { Account } from '../shared/api/account.ts'
import { HOME } from './addresses.ts'
import type { OwnerCall } from './alert-notification.ts'

/** Reads from the gateway, as the owner. Throws if it responds with an error. */
export async function readAsOwner<T extends z.ZodType>(
  gateway: Pick<Gateway, 'fetchAsOwner'>,
  path: string,
  schema: T,
): Promise<z.output<T>> {
  const response = await gateway.fetchAsOwner(new Request(new URL(path, HOME)))
  return schema.parse(await response.json())
}

/** Throws if the gateway responds with an error. */
export async function callAsOwner(
  gateway: Pick<Gateway, 'fetchAsOwner'>,
  { method, path, body }: OwnerCall,
): Promise<void> {
  const init = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await gateway.fetchAsOwner(new Request(new URL(path, HOME), { method, ...init }))
  if (!response.ok) throw new Error(`${method} ${path} failed with ${response.status}`)
}

/** Calls `onChange` now and whenever everything is paused or resumed. Returns the function that ends that. */
export function watchPause(gateway: Gateway, onChange: (isPaused: boolean) => void): () => void {
  let shown: boolean | null = null
  const show = ({ pausedAt }: Account) => {
    const isPaused = pausedAt !== null
    if (isPaused !== shown) onChange(isPaused)
    shown = isPaused
  }
  // A value that cannot be read now arrives with the next event.
  void readAsOwner(gateway, '/v1/account', Account).then(show, () => undefined)
  return gateway.subscribe((event) => event.type === 'account' && show(event.account), ['account'])
}
