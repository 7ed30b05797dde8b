import type { Check } from '../../../shared/desktop/checks.ts'

/** The checks as text for a bug report. Of providers and folders, which can have names of persons and companies, only the state. */
export function formatChecks(checks: readonly Check[]): string {
  return checks.map(formatCheck).join('\n')
}

/** Checks whose findings name no folder, provider or server. */
const PUBLIC = [
  ...[
    'Version',
    'Updates',
    'Disk',
    'Gateway',
    'Port',
    'Credentials',
    'Clock',
    'Database',
    'Requests',
    'Prices',
  ],
  'Providers',
]

function formatCheck({ name, state, found }: Check): string {
  if (PUBLIC.includes(name)) return `${name}: ${state}, ${found}`
  return `${isOfComputer(name) ? name : 'A provider'}: ${state}`
}

function isOfComputer(name: string): boolean {
  return ['Data folder', 'Socket', 'Last runs'].includes(name)
}
