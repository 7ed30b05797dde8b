// Owns the shapes of upstream providers on the wire. A credential goes in, and never comes out.
import { z } from 'zod'

export const API_FORMATS = ['openai-chat', 'anthropic-messages', 'gemini-generate'] as const
export const ApiFormat = z.enum(API_FORMATS)
export type ApiFormat = z.infer<typeof ApiFormat>

/** `openai`, `my-server`: lower-case letters, digits, `-`, `_` and `.`, so that `provider/model` can be split. */
export const ProviderId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, { error: 'must be 1 to 63 of a-z, 0-9, ".", "_" and "-"' })

const Milliseconds = z.int().min(1).max(3_600_000)

const BaseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .regex(/^[^@?#]*$/, { error: 'must not carry a user name, password or query' })

/** What Windows keeps of one entry in its credential manager, in bytes. */
export const MAX_CREDENTIAL_BYTES = 2560
export const MAX_CREDENTIALS = 8

/** Counted as UTF-8: what is not ASCII takes up to three bytes for each UTF-16 unit. */
const Credential = z
  .string()
  .min(1)
  .refine(
    (text) => encodeURIComponent(text.toWellFormed()).replace(/%../g, '.').length <= MAX_CREDENTIAL_BYTES,
    {
      error: `must be at most ${MAX_CREDENTIAL_BYTES} bytes, which is what keychains hold`,
    },
  )

export const ProviderPut = z.strictObject({
  name: z.string().min(1).max(100).optional(),
  apiFormat: ApiFormat.optional(),
  baseUrl: BaseUrl.optional(),
  /** Replaces all that were kept; null forgets them. */
  credential: Credential.nullable().optional(),
  /** Several of one provider, instead of `credential`: the next is taken when one is limited or refused. */
  credentials: z.array(Credential).max(MAX_CREDENTIALS).optional(),
  enabled: z.boolean().optional(),
  priority: z.int().min(0).max(1000).optional(),
  connectTimeoutMs: Milliseconds.optional(),
  firstByteTimeoutMs: Milliseconds.optional(),
  stallTimeoutMs: Milliseconds.optional(),
  totalTimeoutMs: Milliseconds.optional(),
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]+$/), z.string().regex(/^[\t\x20-\x7e]*$/)).optional(),
  /** The user knows that the credential goes unencrypted to a host outside of the local network. */
  allowInsecureHttp: z.boolean().optional(),
})
export type ProviderPut = z.infer<typeof ProviderPut>

const ProviderHealth = z.object({
  state: z.enum(['ready', 'resting', 'off', 'no-credential']),
  /** Set while resting: when the next call is let through. */
  until: z.iso.datetime().nullable(),
  lastError: z.string().nullable(),
})

export const ProviderRecord = z.object({
  id: z.string(),
  name: z.string(),
  apiFormat: z.union([ApiFormat, z.literal('sandbox')]),
  baseUrl: z.string().nullable(),
  /** False for a known provider that the user has not set up yet. */
  configured: z.boolean(),
  enabled: z.boolean(),
  hasCredential: z.boolean(),
  credentialCount: z.number(),
  needsCredential: z.boolean(),
  local: z.boolean(),
  priority: z.number(),
  connectTimeoutMs: z.number(),
  firstByteTimeoutMs: z.number(),
  stallTimeoutMs: z.number(),
  totalTimeoutMs: z.number(),
  headerNames: z.array(z.string()),
  modelCount: z.number(),
  modelsFetchedAt: z.iso.datetime().nullable(),
  consoleUrl: z.string().nullable(),
  health: ProviderHealth,
})
export type ProviderRecord = z.infer<typeof ProviderRecord>

export const ProviderList = z.object({ data: z.array(ProviderRecord) })

export const ProviderTest = z.object({
  ok: z.boolean(),
  latencyMs: z.number(),
  modelCount: z.number(),
  error: z.string().optional(),
})
export type ProviderTest = z.infer<typeof ProviderTest>

/** A local server that Tollgate knows, and whether it answers on its usual port. */
export const LocalServer = z.object({
  id: z.string(),
  name: z.string(),
  baseUrl: z.string(),
  configured: z.boolean(),
  running: z.boolean(),
  modelCount: z.number(),
})
export type LocalServer = z.infer<typeof LocalServer>
export const LocalServers = z.object({ data: z.array(LocalServer) })

/** A known provider that is not set up, whose credential is in an environment variable. Its value is never told. */
export const EnvironmentCredential = z.object({ id: z.string(), name: z.string(), variable: z.string() })
export type EnvironmentCredential = z.infer<typeof EnvironmentCredential>
export const EnvironmentCredentials = z.object({ data: z.array(EnvironmentCredential) })

export const ProviderModels = z.object({ data: z.array(z.object({ id: z.string() })) })

export const ProviderDropped = z.object({ id: z.string(), deleted: z.literal(true) })
