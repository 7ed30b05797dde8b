import { writeResponse } from '../http/send-response.ts'
import type { StreamCall } from './operation-call.ts'
import type { GatewayServices } from './services.ts'

/** Sends the metrics in the text format of Prometheus. */
export async function sendMetrics(
  { exchange }: StreamCall<'getMetrics'>,
  { prometheus }: GatewayServices,
): Promise<void> {
  const { contentType, text } = await prometheus.read()
  writeResponse(exchange, { status: 200, headers: { 'content-type': contentType }, body: text })
}
