// How connections to providers leave this computer.
import { z } from 'zod'

export const Network = z.enum(['direct', 'system']).meta({
  id: 'Network',
  description:
    "How connections leave this computer. `direct`: without a proxy. `system`: through the proxy, and trusting the certificate authorities, that the system's settings or the environment name.",
})
export type Network = z.infer<typeof Network>
