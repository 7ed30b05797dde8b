// How connections to providers leave this computer.
import { z } from 'zod'

export const Network = z.enum(['direct', 'system']).meta({
  id: 'Network',
  description:
    "How connections leave this computer. `direct`: without a proxy. `system`: through the proxy, and trusting the certificate authorities, that the system's settings or the environment name.",
})
export type Network = z.infer<typeof Network>

const FoundProxy = z.object({
  address: z.string().describe('Without a user name and a password.'),
  source: z.string().describe('Where it is set, such as `HTTPS_PROXY`.'),
  problem: z
    .string()
    .nullable()
    .describe('Why no connection to it can be made; null if one can, or while no proxy is used.'),
})

export const NetworkStatus = z
  .object({
    isUsed: z.boolean().describe('Whether the settings, or those of an enabled provider, say `system`.'),
    proxies: z
      .array(FoundProxy)
      .describe('What the system or the environment names for the enabled providers, used or not.'),
    certificateProblem: z
      .string()
      .nullable()
      .describe('Why certificate authorities of this computer could not be read; null if all could.'),
  })
  .meta({ id: 'NetworkStatus' })
export type NetworkStatus = z.infer<typeof NetworkStatus>
