// Owns what a provider's form holds, and what of it is sent. Pure; a credential leaves it only towards the gateway.
import { placeOf } from '../../../shared/hosts.ts'
import { ProviderId, ProviderPut, type ProviderRecord } from '../../../shared/providers.ts'

export interface ProviderForm {
  name: string
  baseUrl: string
  /** Blank: leave the stored one as it is. */
  credential: string
  /** Further ones of the same provider, taken in turn; blank ones are left out. */
  more: string[]
  priority: string
  /** The user's word that the credential may go unencrypted beyond the local network. */
  allowInsecureHttp: boolean
}

export type FormOutcome =
  | { ok: true; id: string; put: ProviderPut }
  | { ok: false; errors: Partial<Record<keyof ProviderForm, string>> }

export function emptyForm(provider: ProviderRecord | null): ProviderForm {
  return {
    name: provider?.name ?? '',
    baseUrl: provider?.baseUrl ?? '',
    credential: '',
    more: [],
    priority: provider?.configured ? String(provider.priority) : '',
    allowInsecureHttp: false,
  }
}

/** Whether a credential would go unencrypted to where anybody may listen. The gateway refuses that unless told otherwise. */
export function isInsecure(form: ProviderForm, provider: ProviderRecord | null): boolean {
  const baseUrl = form.baseUrl.trim()
  if (!URL.canParse(baseUrl) || new URL(baseUrl).protocol !== 'http:') return false
  const hasCredential = [form.credential, ...form.more].some((text) => text.trim() !== '')
  const changes = hasCredential || baseUrl !== provider?.baseUrl
  return (
    changes &&
    (hasCredential || provider?.hasCredential === true) &&
    placeOf(new URL(baseUrl).hostname) === 'public'
  )
}

/** An id made of a name: "My Server" becomes `my-server`, and `my-server-2` when that is taken. Null when nothing is left. */
export function idFromName(name: string, taken: ReadonlySet<string>): string | null {
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

/** What to send for a form; `provider` is null for a custom server that is new. */
export function readForm(
  form: ProviderForm,
  provider: ProviderRecord | null,
  taken: ReadonlySet<string>,
): FormOutcome {
  const errors: Partial<Record<keyof ProviderForm, string>> = {}
  const name = form.name.trim()
  const baseUrl = form.baseUrl.trim().replace(/\/+$/, '')
  const credentials = [form.credential, ...form.more].map((text) => text.trim()).filter(Boolean)
  const id = provider?.id ?? idFromName(name, taken)
  if (name === '' || id === null) errors.name = 'Give it a name with a letter or digit.'
  if (!ProviderPut.shape.baseUrl.safeParse(baseUrl).success) {
    errors.baseUrl = 'Enter an http or https address, such as http://127.0.0.1:8080/v1.'
  }
  if (provider?.needsCredential && !provider.hasCredential && credentials.length === 0) {
    errors.credential = `${provider.name} cannot be called without a credential.`
  }
  // A stored one would be lost to someone who only meant to add to it.
  if (provider?.hasCredential && form.credential.trim() === '' && credentials.length > 0) {
    errors.credential = 'Enter this one as well: what is stored is replaced as a whole.'
  }
  const insecure = isInsecure(form, provider)
  if (insecure && !form.allowInsecureHttp) {
    errors.allowInsecureHttp = 'Use an https address, or allow it below.'
  }
  const priority = form.priority.trim() === '' ? null : Number(form.priority)
  if (priority !== null && !ProviderPut.shape.priority.safeParse(priority).success) {
    errors.priority = 'Enter a whole number from 0 to 1000.'
  }
  if (Object.keys(errors).length > 0 || id === null) return { ok: false, errors }
  return {
    ok: true,
    id,
    put: {
      ...(provider === null ? { apiFormat: 'openai-chat' as const } : {}),
      ...(name === provider?.name ? {} : { name }),
      ...(baseUrl === provider?.baseUrl ? {} : { baseUrl }),
      ...credentialsPut(credentials),
      ...(priority === null || priority === provider?.priority ? {} : { priority }),
      ...(provider?.configured ? {} : { enabled: true }),
      ...(insecure ? { allowInsecureHttp: true } : {}),
    },
  }
}

function credentialsPut(credentials: string[]): Pick<ProviderPut, 'credential' | 'credentials'> {
  const [first] = credentials
  if (first === undefined) return {}
  return credentials.length === 1 ? { credential: first } : { credentials }
}
