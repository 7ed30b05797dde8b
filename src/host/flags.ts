// The flags and environment variables of the desktop app and of `tollgate`.
import { isIP, isIPv6, SocketAddress } from 'node:net'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { LOG_LEVELS } from '../gateway/compose/host-api.ts'
import { describeParseError, FlagError } from './exit-codes.ts'

const CREDENTIAL_KINDS = ['keychain', 'memory', 'env'] as const

/** A name or address with an optional port, as in a Host header. */
const HOST = /^(\[[\da-f:]+\]|[a-z\d]([a-z\d.-]*[a-z\d])?)(:\d{1,5})?$/

/** As the system names the address of a connection: it is compared with that. */
function toUsualForm(address: string): string {
  return isIPv6(address) && !address.includes('%')
    ? new SocketAddress({ address, family: 'ipv6' }).address
    : address
}

const Flags = z.object({
  port: z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .refine((port) => port <= 65535)
    .optional(),
  dataDir: z.string().min(1).optional(),
  credentials: z.enum(CREDENTIAL_KINDS).optional(),
  logLevel: z.enum(LOG_LEVELS).optional(),
  listen: z
    .string()
    .refine((address) => isIP(address) !== 0)
    .transform(toUsualForm)
    .optional(),
  allowHost: z.array(z.string().regex(HOST)).optional(),
  noAdminKey: z.boolean().optional(),
  open: z.boolean().optional(),
})
export type Flags = z.infer<typeof Flags>

const options = {
  port: { type: 'string' },
  'data-dir': { type: 'string' },
  credentials: { type: 'string' },
  'log-level': { type: 'string' },
  listen: { type: 'string' },
  'allow-host': { type: 'string', multiple: true },
  'no-admin-key': { type: 'boolean' },
  open: { type: 'boolean' },
} as const

const EXPECTED: Record<keyof Flags, string> = {
  port: '--port takes a number from 0 to 65535 (0: any free port).',
  dataDir: '--data-dir takes the path of a folder.',
  credentials: `--credentials (or TOLLGATE_CREDENTIALS) takes one of ${CREDENTIAL_KINDS.join(', ')}.`,
  logLevel: `--log-level (or TOLLGATE_LOG_LEVEL) takes one of ${LOG_LEVELS.join(', ')}.`,
  listen: '--listen (or TOLLGATE_LISTEN) takes an IP address of this computer, or 0.0.0.0 for all of them.',
  allowHost:
    '--allow-host (or TOLLGATE_ALLOW_HOST) takes names as in a Host header, such as tollgate.example.com or tollgate:8655; * is none.',
  noAdminKey: '--no-admin-key takes no value.',
  open: '--open takes no value.',
}

/**
 * Reads the flags, and the environment for those that are missing. `strict` rejects unknown flags; Electron's command line
 * also contains Chromium's switches, so the desktop app is not strict. Throws FlagError.
 */
export function readFlags(
  args: readonly string[],
  { strict = true, env = process.env }: { strict?: boolean; env?: Record<string, string | undefined> } = {},
): Flags {
  const raw = parse(args, strict)
  const parsed = Flags.safeParse({
    port: raw.port,
    dataDir: raw['data-dir'],
    credentials: raw.credentials ?? (env.TOLLGATE_CREDENTIALS || undefined),
    logLevel: raw['log-level'] ?? (env.TOLLGATE_LOG_LEVEL || undefined),
    listen: raw.listen ?? (env.TOLLGATE_LISTEN || undefined),
    allowHost: hostNames(raw['allow-host'] ?? (env.TOLLGATE_ALLOW_HOST || undefined)),
    noAdminKey: raw['no-admin-key'],
    open: raw.open,
  })
  if (parsed.success) return parsed.data
  const field = parsed.error.issues[0]?.path[0]
  throw new FlagError(Object.entries(EXPECTED).find(([name]) => name === field)?.[1] ?? parsed.error.message)
}

/** Several are separated by commas. */
function hostNames(value: unknown): string[] | undefined {
  return value === undefined ? undefined : String(value).toLowerCase().split(',').filter(Boolean)
}

function parse(args: readonly string[], strict: boolean): Record<string, unknown> {
  try {
    return parseArgs({ args: [...args], options, strict, allowPositionals: !strict }).values
  } catch (error) {
    throw describeParseError(error)
  }
}
