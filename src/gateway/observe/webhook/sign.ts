import { createHmac } from 'node:crypto'

/** The headers by which a receiver knows the sender: the signature covers the time, so that an old copy can be recognized. */
export function signatureHeaders(secret: string, body: string, now: number): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000))
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  return { 'x-tollgate-timestamp': timestamp, 'x-tollgate-signature': `v1=${signature}` }
}
