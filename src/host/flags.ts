// Owns the flags and environment variables that both hosts of the gateway take. Knows nothing of what they lead to.
import { parseArgs } from 'node:util'
import { z } from 'zod'

const CREDENTIAL_KINDS = ['keychain', 'memory', 'env'] as const

const Flags = z.object({
  port: z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .refine((port) => port <= 65535)
    .optional(),
  dataDir: z.string().min(1).optional(),
  credentials: z.enum(CREDENTIAL_KINDS).optional(),
})
export type Flags = z.infer<typeof Flags>

/** A flag is unknown or has a value it cannot have; the message is a sentence for the user. */
export class FlagError extends Error {
  override name = 'FlagError'
}

const options = {
  port: { type: 'string' },
  'data-dir': { type: 'string' },
  credentials: { type: 'string' },
} as const

const WANTED: Record<keyof Flags, string> = {
  port: '--port takes a number from 0 to 65535 (0: any free port).',
  dataDir: '--data-dir takes the path of a folder.',
  credentials: `--credentials (or TOLLGATE_CREDENTIALS) takes one of ${CREDENTIAL_KINDS.join(', ')}.`,
}

/**
 * Reads the flags, then the environment for those not given. `strict` refuses what it does not know; Electron's
 * command line also carries Chromium's switches, so the desktop is not strict. Throws FlagError.
 */
export function readFlags(
  args: readonly string[],
  { strict = true, env = process.env }: { strict?: boolean; env?: Record<string, string | undefined> } = {},
): Flags {
  const given = parse(args, strict)
  const parsed = Flags.safeParse({
    port: given.port,
    dataDir: given['data-dir'],
    credentials: given.credentials ?? (env.TOLLGATE_CREDENTIALS || undefined),
  })
  if (parsed.success) return parsed.data
  const field = parsed.error.issues[0]?.path[0]
  throw new FlagError(
    field === 'port' || field === 'dataDir' || field === 'credentials' ? WANTED[field] : parsed.error.message,
  )
}

function parse(args: readonly string[], strict: boolean): Record<string, unknown> {
  try {
    return parseArgs({ args: [...args], options, strict, allowPositionals: !strict }).values
  } catch (error) {
    throw new FlagError(error instanceof Error ? error.message : String(error))
  }
}
