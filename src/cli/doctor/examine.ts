// Runs the checks.

import { GatewayClient } from '../../host/gateway-client.ts'
import type { ProviderRecord } from '../../shared/api/providers.ts'
import type { Check } from '../../shared/desktop/checks.ts'
import { errorMessage } from '../../shared/values/text.ts'
import { formatDuration } from '../terminal/amounts.ts'
import {
  type CheckName,
  type Facts,
  type Finding,
  failed,
  ok,
  readFacts,
  toCheck,
  warning,
} from './check-row.ts'
import { computerChecks, gatewayChecks } from './checks.ts'

interface ExamineOptions {
  /** Also calls every provider. */
  calls: boolean
  /** Called with each check as soon as it is done. */
  report?: (check: Check) => void
}

type AddCheck = (row: CheckName, finding: Finding) => void

/** Without a gateway, only what can be checked without it. */
export async function examine(
  dataDir: string,
  { calls, report = () => {} }: ExamineOptions,
): Promise<Check[]> {
  const client = new GatewayClient(dataDir)
  const checks: Check[] = []
  const add: AddCheck = (row, finding) => {
    const check = toCheck(row, finding)
    checks.push(check)
    report(check)
  }
  for (const row of computerChecks) add(row, await row.examine(dataDir))
  if (checks.some(({ name, ok: isOk }) => name === 'Socket' && !isOk)) return checks
  let facts: Facts
  try {
    facts = await readFacts(client)
  } catch (error) {
    const gateway = { name: 'Gateway', meaning: 'Without it nothing is served.' }
    add(gateway, failed(errorMessage(error), 'If the process hangs, end it and start Tollgate again.'))
    return checks
  }
  for (const row of gatewayChecks) add(row, await row.examine(facts))
  await examineProviders(client, calls, add)
  return checks
}

async function examineProviders(client: GatewayClient, calls: boolean, add: AddCheck): Promise<void> {
  const meaning = 'Its models can be called, or not.'
  const { data } = await client.call('listProviders')
  const used = data.filter(({ configured, enabled }) => configured && enabled)
  if (used.length === 0)
    add(
      { name: 'Providers', meaning: 'Without one there is no model to call.' },
      warning('none is set up', 'Add one in the window, under Providers.'),
    )
  const findings = used.map((provider) => (calls ? callProvider(client, provider) : checkProvider(provider)))
  for (const [at, provider] of used.entries()) {
    const finding = await findings[at]
    if (finding) add({ name: provider.id, meaning }, finding)
  }
}

function checkProvider({ id, name, health, modelCount }: ProviderRecord): Finding {
  if (health.state === 'no-credential')
    return failed(`${name} has no credential`, 'Enter it in the window, under Providers.')
  return health.lastError === null
    ? ok(`${name}, ${modelCount} models`)
    : warning(`${name}: ${health.lastError}`, `Try it: tollgate providers test ${id}`)
}

async function callProvider(client: GatewayClient, { id, name }: ProviderRecord): Promise<Finding> {
  const { ok: isOk, latencyMs, modelCount, error } = await client.call('testProvider', { params: { id } })
  return isOk
    ? ok(`${name}, ${modelCount} models in ${formatDuration(latencyMs)}`)
    : failed(`${name} does not work`, error ?? 'Check its base URL and credential in the window.')
}
