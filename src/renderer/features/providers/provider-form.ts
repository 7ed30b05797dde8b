import { z } from 'zod'
import { Network } from '../../../shared/api/account.ts'
import { Authorization, usesMachineLogin } from '../../../shared/api/authorization.ts'
import {
  AddressValue,
  API_FORMATS,
  type ApiFormat,
  fillAddress,
  ProviderId,
  ProviderPut,
  type ProviderRecord,
} from '../../../shared/api/providers.ts'
import { locateHost } from '../../../shared/values/hosts.ts'
import { lowerLabel } from '../../../shared/values/locale.ts'
import { cleanBaseUrl, cleanKey } from './pasted-text.ts'

interface Circumstances {
  /** Null for a new custom server. */
  provider: ProviderRecord | null
  /** The ids of all providers. */
  taken: ReadonlySet<string>
  /** Credentials are read from the environment, so none can be entered. */
  needsNoKey?: boolean
}

/** The label of each API format, and the path of its requests after the base URL. */
const FORMATS: Readonly<Record<ApiFormat, { label: string; path: string }>> = {
  'openai-chat': { label: 'OpenAI chat completions', path: '/chat/completions' },
  'openai-responses': { label: 'OpenAI Responses', path: '/responses' },
  'anthropic-messages': { label: 'Anthropic Messages', path: '/messages' },
  'gemini-generate': { label: 'Gemini generateContent', path: '/models' },
  'bedrock-converse': { label: 'Amazon Bedrock Converse', path: '/model' },
}

/** The hint that the path of the format's requests does not belong to the base URL. */
export function baseUrlHint(format: ApiFormat | null): string {
  return `Everything before ${FORMATS[format ?? 'openai-chat'].path}.`
}

const SETTINGS = 'settings'

export function createProviderForm({ provider, taken, needsNoKey = false }: Circumstances) {
  return z
    .object({
      name: z
        .string()
        .trim()
        .refine(
          (name) => name !== '' && findId(name, { provider, taken }) !== null,
          'Enter a name with at least one letter or digit.',
        )
        .meta({ label: 'Name', maxLength: 100 }),
      /** Null for the sandbox. */
      apiFormat: z
        .enum(API_FORMATS)
        .nullable()
        .meta({
          label: 'API format',
          hint: 'Most servers use OpenAI’s chat completions format.',
          options: API_FORMATS.map((value) => ({
            value,
            label: FORMATS[value].label,
            hint: FORMATS[value].path,
          })),
        }),
      baseUrl: z.string().meta({ label: 'Base URL', mono: true }),
      /** The parts of a new provider's base URL, by the names of the fields; null where it is entered itself. */
      address: z.record(z.string(), z.string()).nullable(),
      /** Null: as the API format defines it. */
      authorization: Authorization.nullable(),
      network: z
        .enum([SETTINGS, ...Network.options])
        .transform((choice) => (choice === SETTINGS ? null : choice))
        .meta({
          label: 'Network',
          hint: 'How the provider is reached, if that differs from the others.',
          options: [
            { value: SETTINGS, label: 'As in Settings' },
            { value: 'direct', label: 'Direct, without a proxy' },
            { value: 'system', label: 'This computer’s proxy and certificates' },
          ],
        }),
      promptCache: z.boolean().meta({
        label: 'Keep prompts in the provider’s cache',
        hint: 'Conversations that Tollgate translates into this provider’s format are marked for its cache, where input costs less. Requests that already have this format stay unchanged.',
      }),
      spreadSessions: z.boolean().meta({
        label: 'Give each session one of the keys',
        hint: 'Sessions are divided among the keys. Each stays with one, so that its prompts stay in the cache. A rate-limited key lends its sessions to the others. If this is off, the first key is used as long as it can be.',
      }),
      /** Blank: keep the stored one. */
      credential: z.string().meta({ label: 'Credential' }),
      /** Further credentials, used in rotation; blank ones are ignored. */
      more: z.array(z.string()),
      allowInsecureHttp: z.boolean().meta({
        label: 'Send the credential without encryption',
        hint: 'This URL uses http:// and is outside your network, so anyone along the way can read the credential.',
      }),
    })
    .superRefine((draft, context) => {
      const add = (message: string, ...path: string[]) => context.addIssue({ code: 'custom', message, path })
      const values = readAddress(draft, provider)
      for (const { name, label, example } of values === null ? [] : (provider?.address?.fields ?? [])) {
        if (!AddressValue.safeParse(values?.[name]).success)
          add(`Enter the ${lowerLabel(label)} alone, such as ${example}.`, 'address', name)
      }
      if (values === null && !ProviderPut.shape.baseUrl.safeParse(readBaseUrl(draft, provider)).success)
        add('Enter an http or https URL, such as http://127.0.0.1:8080/v1.', 'baseUrl')
      const credentials = listCredentials(draft)
      const isMissing =
        needsCredential(draft, provider) && !provider?.hasCredential && credentials.length === 0
      if (!needsNoKey && isMissing) add(`${provider?.name} requires an API key.`, 'credential')
      // Sending only the new ones would replace the stored credential.
      if (provider?.hasCredential && draft.credential.trim() === '' && credentials.length > 0)
        add('Enter this key too. Saving replaces all stored keys.', 'credential')
      if (isInsecure(draft, provider) && !draft.allowInsecureHttp)
        add('Use an https URL, or turn this on.', 'allowInsecureHttp')
    })
}
export type ProviderForm = ReturnType<typeof createProviderForm>
export type ProviderDraft = z.input<ProviderForm>
type ProviderValues = z.output<ProviderForm>

export function toProviderDraft(provider: ProviderRecord | null): ProviderDraft {
  return {
    name: provider?.name ?? '',
    apiFormat: findFormat(provider),
    baseUrl: provider?.baseUrl ?? '',
    address: provider?.address && !provider.configured ? {} : null,
    authorization: provider?.authorization ?? null,
    network: provider?.network ?? SETTINGS,
    promptCache: provider?.promptCache ?? true,
    spreadSessions: provider?.spreadSessions ?? false,
    credential: '',
    more: [],
    allowInsecureHttp: false,
  }
}

function findFormat(provider: ProviderRecord | null): ApiFormat | null {
  if (provider === null) return 'openai-chat'
  return provider.apiFormat === 'sandbox' ? null : provider.apiFormat
}

/** Whether it is a server of the user's, whose format is not known. */
export function isCustom(provider: ProviderRecord | null): boolean {
  return provider === null || (provider.consoleUrl === null && !provider.local && provider.address === null)
}

/** Whether a credential would be sent over plain HTTP to a public address. The gateway rejects that by default. */
export function isInsecure(
  draft: Pick<ProviderDraft, 'baseUrl' | 'credential' | 'more'>,
  provider: ProviderRecord | null,
): boolean {
  const baseUrl = cleanBaseUrl(draft.baseUrl)
  if (!URL.canParse(baseUrl) || new URL(baseUrl).protocol !== 'http:') return false
  const hasCredential = listCredentials(draft).length > 0
  const changes = hasCredential || baseUrl !== provider?.baseUrl
  return (
    changes &&
    (hasCredential || provider?.hasCredential === true) &&
    locateHost(new URL(baseUrl).hostname) === 'public'
  )
}

/** Derives an id: "My Server" becomes `my-server`, or `my-server-2` if that is taken. Null without a letter or digit. */
export function deriveId(name: string, taken: ReadonlySet<string>): string | null {
  const plain = name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 56)
  if (!ProviderId.safeParse(plain).success) return null
  let id = plain
  for (let count = 2; taken.has(id); count += 1) id = `${plain}-${count}`
  return id
}

function findId(name: string, { provider, taken }: Circumstances): string | null {
  return provider?.id ?? deriveId(name, taken)
}

/** Whether the provider cannot be used without its own credential. */
function needsCredential(
  { authorization }: Pick<ProviderDraft, 'authorization'>,
  provider: ProviderRecord | null,
): boolean {
  if (provider === null || usesMachineLogin(authorization)) return false
  return provider.needsCredential || usesMachineLogin(provider.authorization)
}

function listCredentials({ credential, more }: Pick<ProviderDraft, 'credential' | 'more'>): string[] {
  return [credential, ...more].map(cleanKey).filter(Boolean)
}

/** The parts of the base URL; null where it is entered itself. */
function readAddress({ address }: Pick<ProviderDraft, 'address'>, provider: ProviderRecord | null) {
  if (!provider?.address || address === null) return null
  return Object.fromEntries(provider.address.fields.map(({ name }) => [name, (address[name] ?? '').trim()]))
}

function readBaseUrl(
  draft: Pick<ProviderDraft, 'address' | 'baseUrl'>,
  provider: ProviderRecord | null,
): string {
  const values = readAddress(draft, provider)
  if (provider?.address && values) return fillAddress(provider.address, values)
  return cleanBaseUrl(draft.baseUrl)
}

/** The request that saves a form, with the fields that change. */
export function toPut(
  values: ProviderValues,
  circumstances: Circumstances,
): { id: string; put: ProviderPut } {
  const { provider } = circumstances
  const { name, apiFormat, authorization, network, promptCache, spreadSessions } = values
  const baseUrl = readBaseUrl(values, provider)
  return {
    id: findId(name, circumstances) ?? '',
    put: {
      ...(apiFormat === null || apiFormat === provider?.apiFormat ? {} : { apiFormat }),
      ...(name === provider?.name ? {} : { name }),
      ...(baseUrl === provider?.baseUrl ? {} : { baseUrl }),
      ...(authorization === null || authorization === provider?.authorization ? {} : { authorization }),
      ...(network === (provider?.network ?? null) ? {} : { network }),
      ...(promptCache === (provider?.promptCache ?? true) ? {} : { promptCache }),
      ...(spreadSessions === (provider?.spreadSessions ?? false) ? {} : { spreadSessions }),
      ...(usesMachineLogin(authorization) ? {} : buildCredentials(listCredentials(values))),
      ...(provider?.configured ? {} : { enabled: true }),
      ...(isInsecure(values, provider) ? { allowInsecureHttp: true } : {}),
    },
  }
}

function buildCredentials(credentials: string[]): Pick<ProviderPut, 'credential' | 'credentials'> {
  const [first] = credentials
  if (first === undefined) return {}
  return credentials.length === 1 ? { credential: first } : { credentials }
}
