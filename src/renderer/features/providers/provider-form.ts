import type { Network } from '../../../shared/api/account.ts'
import { type Authorization, usesMachineLogin } from '../../../shared/api/authorization.ts'
import {
  AddressValue,
  type ApiFormat,
  fillAddress,
  ProviderId,
  ProviderPut,
  type ProviderRecord,
} from '../../../shared/api/providers.ts'
import { locateHost } from '../../../shared/values/hosts.ts'
import { lowerLabel } from '../../../shared/values/locale.ts'

export interface ProviderForm {
  name: string
  /** Null for the sandbox. */
  apiFormat: ApiFormat | null
  baseUrl: string
  /** The parts of a new provider's base URL, by the names of the fields; null where it is entered itself. */
  address: Readonly<Record<string, string>> | null
  /** Null: as the API format defines it. */
  authorization: Authorization | null
  /** Null: as the settings say. */
  network: Network | null
  promptCache: boolean
  /** Blank: keep the stored one. */
  credential: string
  /** Further credentials, used in rotation; blank ones are ignored. */
  more: string[]
  /** The user allows sending the credential unencrypted beyond the local network. */
  allowInsecureHttp: boolean
}

export type FormErrors = Partial<Record<Exclude<keyof ProviderForm, 'address'>, string>> & {
  /** The parts by the names of the fields. */
  address?: Record<string, string>
}

export type FormResult = { ok: true; id: string; put: ProviderPut } | { ok: false; errors: FormErrors }

export function createForm(provider: ProviderRecord | null): ProviderForm {
  return {
    name: provider?.name ?? '',
    apiFormat: findFormat(provider),
    baseUrl: provider?.baseUrl ?? '',
    address: provider?.address && !provider.configured ? {} : null,
    authorization: provider?.authorization ?? null,
    network: provider?.network ?? null,
    promptCache: provider?.promptCache ?? true,
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
export function isInsecure(form: ProviderForm, provider: ProviderRecord | null): boolean {
  const baseUrl = form.baseUrl.trim()
  if (!URL.canParse(baseUrl) || new URL(baseUrl).protocol !== 'http:') return false
  const hasCredential = [form.credential, ...form.more].some((text) => text.trim() !== '')
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

/** Whether the provider cannot be used without its own credential. */
function needsCredential(
  { authorization }: Pick<ProviderForm, 'authorization'>,
  provider: ProviderRecord | null,
): boolean {
  if (provider === null || usesMachineLogin(authorization)) return false
  return provider.needsCredential || usesMachineLogin(provider.authorization)
}

function validateAddress(
  form: ProviderForm,
  provider: ProviderRecord | null,
): { baseUrl: string; errors: Record<string, string> | null } {
  const { address, baseUrl } = form
  if (!provider?.address || address === null) {
    return { baseUrl: baseUrl.trim().replace(/\/+$/, ''), errors: null }
  }
  const { fields } = provider.address
  const values = Object.fromEntries(fields.map(({ name }) => [name, (address[name] ?? '').trim()]))
  const wrong = fields.filter(({ name }) => !AddressValue.safeParse(values[name]).success)
  const errors = wrong.map(({ name, label, example }) => [
    name,
    `Enter the ${lowerLabel(label)} alone, such as ${example}.`,
  ])
  return {
    baseUrl: fillAddress(provider.address, values),
    errors: wrong.length > 0 ? Object.fromEntries(errors) : null,
  }
}

interface Circumstances {
  /** Null for a new custom server. */
  provider: ProviderRecord | null
  /** The ids of all providers. */
  taken: ReadonlySet<string>
  /** Credentials are read from the environment, so none can be entered. */
  needsNoKey?: boolean
}

export function validateForm(
  form: ProviderForm,
  { provider, taken, needsNoKey = false }: Circumstances,
): FormResult {
  const errors: FormErrors = {}
  const name = form.name.trim()
  const { baseUrl, errors: addressErrors } = validateAddress(form, provider)
  const credentials = [form.credential, ...form.more].map((text) => text.trim()).filter(Boolean)
  const id = provider?.id ?? deriveId(name, taken)
  if (name === '' || id === null) errors.name = 'Enter a name with at least one letter or digit.'
  if (addressErrors) errors.address = addressErrors
  else if (!ProviderPut.shape.baseUrl.safeParse(baseUrl).success) {
    errors.baseUrl = 'Enter an http or https URL, such as http://127.0.0.1:8080/v1.'
  }
  if (
    !needsNoKey &&
    needsCredential(form, provider) &&
    !provider?.hasCredential &&
    credentials.length === 0
  ) {
    errors.credential = `${provider?.name} requires an API key.`
  }
  // Sending only the new ones would replace the stored credential.
  if (provider?.hasCredential && form.credential.trim() === '' && credentials.length > 0) {
    errors.credential = 'Enter this key too. Saving replaces all stored keys.'
  }
  const insecure = isInsecure(form, provider)
  if (insecure && !form.allowInsecureHttp) {
    errors.allowInsecureHttp = 'Use an https URL, or turn this on.'
  }
  if (Object.keys(errors).length > 0 || id === null) return { ok: false, errors }
  return {
    ok: true,
    id,
    put: {
      ...(form.apiFormat === null || form.apiFormat === provider?.apiFormat
        ? {}
        : { apiFormat: form.apiFormat }),
      ...(name === provider?.name ? {} : { name }),
      ...(baseUrl === provider?.baseUrl ? {} : { baseUrl }),
      ...(form.authorization === null || form.authorization === provider?.authorization
        ? {}
        : { authorization: form.authorization }),
      ...(form.network === (provider?.network ?? null) ? {} : { network: form.network }),
      ...(form.promptCache === (provider?.promptCache ?? true) ? {} : { promptCache: form.promptCache }),
      ...(usesMachineLogin(form.authorization) ? {} : buildCredentials(credentials)),
      ...(provider?.configured ? {} : { enabled: true }),
      ...(insecure ? { allowInsecureHttp: true } : {}),
    },
  }
}

function buildCredentials(credentials: string[]): Pick<ProviderPut, 'credential' | 'credentials'> {
  const [first] = credentials
  if (first === undefined) return {}
  return credentials.length === 1 ? { credential: first } : { credentials }
}
