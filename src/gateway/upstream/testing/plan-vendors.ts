// The vendors of plans for tests: a server that has their names, which a proxy leads to. The gateway calls their real addresses,
// so a test sees where a sign-in is sent.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { SystemNetwork } from '../network/system-network.ts'
import { startHttpProxy } from './test-proxy.ts'
import { startTestUpstream, type TestHandler, type TestUpstream } from './test-upstream.ts'

const fixture = (name: string) => readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8')

/** The certificate of the authority that the server's own is from. */
export const VENDOR_AUTHORITY = fileURLToPath(new URL('../fixtures/plan-vendors-ca.pem', import.meta.url))

export interface PlanVendors {
  upstream: TestUpstream
  /** The hosts that were called. */
  hosts: readonly string[]
  proxyUrl: string
  systemNetwork: SystemNetwork
  close(): Promise<void>
}

export async function startPlanVendors(handler: TestHandler): Promise<PlanVendors> {
  const [key, cert] = [fixture('plan-vendors-key.pem'), fixture('plan-vendors-cert.pem')]
  const upstream = await startTestUpstream(handler, { key, cert })
  const proxy = await startHttpProxy({ toPort: Number(new URL(upstream.url).port) })
  const proxyUrl = `http://127.0.0.1:${proxy.port}`
  return {
    upstream,
    hosts: proxy.tunnels,
    proxyUrl,
    systemNetwork: {
      findProxy: async () => ({ url: proxyUrl, source: 'HTTPS_PROXY' }),
      readCertificates: () => ({ pem: [fixture('plan-vendors-ca.pem')], problem: null }),
    },
    async close() {
      await proxy.close()
      await upstream.close()
    },
  }
}
