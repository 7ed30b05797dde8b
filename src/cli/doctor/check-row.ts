import type { GatewayClient } from '../../host/gateway-client.ts'
import type { Check } from '../../shared/desktop/checks.ts'
import type { Facts } from './gateway-facts.ts'

/** The result of a check. */
export type Finding = Pick<Check, 'state' | 'found' | 'advice'>

/** A row of the table of checks. */
export type CheckRow = CheckName &
  (
    | { of: 'computer'; examine(client: GatewayClient): Finding | Promise<Finding> }
    /** Only while the gateway runs. */
    | { of: 'gateway'; examine(facts: Facts): Finding | Promise<Finding> }
  )

export interface CheckName {
  name: string
  /** Why it matters. */
  meaning: string
}

export function ok(found: string): Finding {
  return { state: 'ok', found, advice: null }
}

/** It works, but something should be done. */
export function warning(found: string, advice: string): Finding {
  return { state: 'warning', found, advice }
}

export function failed(found: string, advice: string): Finding {
  return { state: 'failed', found, advice }
}

export function toCheck({ name, meaning }: CheckName, finding: Finding): Check {
  return { name, ok: finding.state === 'ok', ...finding, meaning }
}
