// A provider's credential is write-only: no response contains it.
import { z } from 'zod'
import { Network } from './account.ts'
import { Authorization } from './authorization.ts'
import { shortText } from './spend-limits.ts'

// Base URLs that contain names of the user's own, such as a region or a project.

const AddressField = z
  .object({
    name: z.string().describe('Its name in the template.'),
    label: z.string(),
    hint: z.string().describe('Where the user finds it.'),
    example: z.string(),
  })
  .meta({ id: 'ProviderAddressField' })

export const ProviderAddress = z
  .object({
    template: z.string().describe('The base URL, with each field as `{name}`.'),
    fields: z.array(AddressField),
    exceptions: z
      .record(z.string(), z.string())
      .optional()
      .describe('Origins that do not follow the template, by what the template makes of them.'),
  })
  .meta({ id: 'ProviderAddress', description: 'How the base URL is made of what the user enters.' })
export type ProviderAddress = z.infer<typeof ProviderAddress>

/** A name that can be a part of a host or a path: letters, digits, dots and hyphens. */
export const AddressValue = z.string().regex(/^[A-Za-z0-9](?:[A-Za-z0-9.:-]{0,98}[A-Za-z0-9])?$/)

/** The base URL with these values of the fields, each an `AddressValue`. */
export function fillAddress(
  { template, exceptions = {} }: ProviderAddress,
  values: Readonly<Record<string, string>>,
): string {
  const url = template.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
  const found = Object.entries(exceptions).find(([origin]) => url === origin || url.startsWith(`${origin}/`))
  return found ? found[1] + url.slice(found[0].length) : url
}

export const API_FORMATS = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini-generate',
  'bedrock-converse',
] as const
export const ApiFormat = z
  .enum(API_FORMATS)
  .meta({ id: 'ApiFormat', description: "The format of a provider's API." })
export type ApiFormat = z.infer<typeof ApiFormat>

/** How a provider is called: in an API format over HTTP, or inside this process. */
export const ProviderFormat = z.union([ApiFormat, z.literal('sandbox')])
export type ProviderFormat = z.infer<typeof ProviderFormat>

/** `openai`, `my-server`: lower-case letters, digits, `-`, `_` and `.`, so that `provider/model` can be split. */
export const ProviderId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, { error: 'must be 1 to 63 of a-z, 0-9, ".", "_" and "-"' })

const WEB_SOCKET =
  'Whether turns of a WebSocket go to it over a WebSocket of its own, if it has the Responses API; null: as its vendor has it.'
const SPREAD =
  'Whether each session has one of several credentials as its own; otherwise the first is used as long as the provider accepts it.'
const Milliseconds = z.int().min(1).max(3_600_000)

const BaseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .regex(/^[^@?#]*$/, { error: 'must not carry a user name, password or query' })

/** The size limit of one entry in the Windows Credential Manager. */
export const MAX_CREDENTIAL_BYTES = 2560
export const MAX_CREDENTIALS = 8

/** Some are stored shorter than they are entered. Of what is stored, `MAX_CREDENTIAL_BYTES` is the limit. */
const MAX_ENTERED_CREDENTIAL = 16_384
const Credential = z.string().min(1).max(MAX_ENTERED_CREDENTIAL)

export const ProviderPut = z
  .strictObject({
    name: shortText(100).optional(),
    apiFormat: ApiFormat.optional(),
    baseUrl: BaseUrl.optional(),
    credential: Credential.nullable()
      .optional()
      .describe('Replaces all stored credentials; null deletes them.'),
    credentials: z
      .array(Credential)
      .max(MAX_CREDENTIALS)
      .optional()
      .describe(
        'Several, instead of `credential`: when the provider rate-limits or rejects one, the next is used. See `spreadSessions`.',
      ),
    spreadSessions: z.boolean().optional().describe(SPREAD),
    authorization: Authorization.optional(),
    enabled: z.boolean().optional(),
    priority: z
      .int()
      .min(0)
      .max(1000)
      .optional()
      .describe('Providers of the same model are tried in ascending order.'),
    connectTimeoutMs: Milliseconds.optional(),
    firstByteTimeoutMs: Milliseconds.optional(),
    stallTimeoutMs: Milliseconds.optional(),
    totalTimeoutMs: Milliseconds.optional(),
    network: Network.nullable().optional().describe('Null: as the settings say.'),
    promptCache: z
      .boolean()
      .optional()
      .describe('Mark translated requests so that the provider caches the prompts of conversations.'),
    webSocket: z.boolean().nullable().optional().describe(WEB_SOCKET),
    headers: z
      .record(z.string().regex(/^[A-Za-z0-9-]+$/), z.string().regex(/^[\t\x20-\x7e]*$/))
      .optional()
      .describe('Headers to send with every request to the provider.'),
    allowInsecureHttp: z
      .boolean()
      .optional()
      .describe('Accept that the credential is sent unencrypted to a host outside the local network.'),
  })
  .meta({ id: 'ProviderUpdate', description: 'Fields that are left out keep their value.' })
export type ProviderPut = z.infer<typeof ProviderPut>

const ProviderHealth = z
  .object({
    state: z
      .enum(['ready', 'resting', 'off', 'no-credential'])
      .describe('`resting`: its circuit breaker is open; `off`: the user disabled it.'),
    until: z.iso.datetime().nullable().describe('When the next request is allowed; null unless `resting`.'),
    lastError: z.string().nullable().describe('The last failure since the last success.'),
    lastErrorAt: z.iso.datetime().nullable().describe('When it failed.'),
  })
  .meta({ id: 'ProviderHealth' })

export const ProviderRecord = z
  .object({
    id: z.string(),
    name: z.string(),
    apiFormat: ProviderFormat,
    baseUrl: z.string().nullable(),
    configured: z.boolean().describe('False for a known provider that is not set up yet.'),
    enabled: z.boolean(),
    hasCredential: z.boolean(),
    credentialCount: z.number(),
    spreadSessions: z.boolean().describe(SPREAD),
    needsCredential: z.boolean(),
    authorization: Authorization.nullable().describe('Null for the sandbox.'),
    authorizations: z
      .array(Authorization)
      .describe('Those that a known provider accepts, if it is more than one.'),
    address: ProviderAddress.nullable().describe('Null where nothing has to be entered for the base URL.'),
    local: z
      .boolean()
      .describe('Whether it runs on this machine or in a private network, where models are free.'),
    priority: z.number().describe('Providers of the same model are tried in ascending order.'),
    connectTimeoutMs: z.number(),
    firstByteTimeoutMs: z.number(),
    stallTimeoutMs: z.number(),
    totalTimeoutMs: z.number(),
    network: Network.nullable().describe('Null: as the settings say.'),
    promptCache: z
      .boolean()
      .describe('Whether translated requests are marked so that the provider caches their prompts.'),
    webSocket: z.boolean().nullable().describe(WEB_SOCKET),
    headerNames: z.array(z.string()).describe('The names of its own headers; values are never returned.'),
    modelCount: z.number(),
    modelsFetchedAt: z.iso
      .datetime()
      .nullable()
      .describe('When its model list was last read; null if never.'),
    consoleUrl: z.string().nullable().describe('Where to create a credential.'),
    health: ProviderHealth,
  })
  .meta({ id: 'Provider' })
export type ProviderRecord = z.infer<typeof ProviderRecord>

export const ProviderList = z.object({ data: z.array(ProviderRecord) }).meta({ id: 'ProviderList' })

export const ProviderTest = z
  .object({
    ok: z.boolean(),
    latencyMs: z.number(),
    modelCount: z.number(),
    error: z.string().optional(),
    suggestedBaseUrl: z
      .string()
      .optional()
      .describe('After a failure: another base URL on the same host, at which the provider did answer.'),
  })
  .meta({
    id: 'ProviderTest',
    description: "The result of reading the provider's model list.",
  })
export type ProviderTest = z.infer<typeof ProviderTest>

export const LocalServer = z
  .object({
    id: z.string(),
    name: z.string(),
    baseUrl: z.string(),
    configured: z.boolean(),
    running: z.boolean().describe('Whether it answers on its usual port.'),
    modelCount: z.number(),
  })
  .meta({ id: 'LocalServer', description: 'A known kind of model server on this machine.' })
export type LocalServer = z.infer<typeof LocalServer>
export const LocalServers = z.object({ data: z.array(LocalServer) }).meta({ id: 'LocalServerList' })

export const EnvironmentCredential = z
  .object({
    id: z.string().describe("The provider's id."),
    name: z.string().describe("The provider's name."),
    variable: z.string().describe('The name of the environment variable.'),
  })
  .meta({
    id: 'EnvironmentCredential',
    description: 'A credential in an environment variable. Its value is never returned.',
  })
export type EnvironmentCredential = z.infer<typeof EnvironmentCredential>
export const EnvironmentCredentials = z
  .object({ data: z.array(EnvironmentCredential) })
  .meta({ id: 'EnvironmentCredentialList' })

export const ProviderModels = z
  .object({ data: z.array(z.object({ id: z.string() })) })
  .meta({ id: 'ProviderModelList' })

export const DeletedProvider = z
  .object({ id: z.string(), deleted: z.literal(true) })
  .meta({ id: 'DeletedProvider' })
