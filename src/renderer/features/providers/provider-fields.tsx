import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import type { Network } from '../../../shared/api/account.ts'
import { usesMachineLogin } from '../../../shared/api/authorization.ts'
import { API_FORMATS, type ApiFormat, type ProviderRecord } from '../../../shared/api/providers.ts'
import { queries } from '../../data/queries.ts'
import { openExternal } from '../../kit/external.ts'
import { Field, TextField } from '../../kit/field.tsx'
import { Select } from '../../kit/select.tsx'
import { Switch } from '../../kit/switch.tsx'
import {
  AuthorizationChoice,
  capitalize,
  credentialNoun,
  credentialPlaceholder,
} from './authorization-choice.tsx'
import { CredentialFields, credentialVariable } from './credential-fields.tsx'
import { FixOffer } from './fix-offer.tsx'
import { fixBaseUrl, useTyping } from './input-mistakes.ts'
import { deriveId, type FormErrors, isCustom, isInsecure, type ProviderForm } from './provider-form.ts'

/** The fields that can show an error that the gateway returned for them. */
export const textFields = ['name', 'baseUrl', 'credential'] as const
type TextFieldName = (typeof textFields)[number]

interface ProviderFieldsProps {
  /** Null for a custom server. */
  provider: ProviderRecord | null
  form: ProviderForm
  onChange: (form: ProviderForm) => void
  errors: FormErrors
}

export function ProviderFields({ provider, form, onChange, errors }: ProviderFieldsProps) {
  const { data: info } = useQuery(queries.gateway)
  const field = (name: TextFieldName) => ({
    value: form[name],
    error: errors[name],
    onChange: (value: string) => onChange({ ...form, [name]: value }),
  })
  const isNew = !provider?.configured
  const needsNone = provider?.needsCredential === false && !usesMachineLogin(provider.authorization)
  const hidesCredential =
    usesMachineLogin(form.authorization) || (needsNone && !provider.hasCredential && isNew)
  const { consoleUrl = null } = provider ?? {}
  const noun = credentialNoun(form.authorization)
  return (
    <>
      {provider === null || !isNew ? (
        <TextField label="Name" {...field('name')} autoFocus={provider === null} maxLength={100} />
      ) : null}
      {provider === null || provider.local || !isNew ? (
        <BaseUrlField {...field('baseUrl')} hint={baseUrlHint(form.apiFormat)} />
      ) : null}
      {form.apiFormat !== null && isCustom(provider) ? (
        <FormatChoice value={form.apiFormat} onChange={(apiFormat) => onChange({ ...form, apiFormat })} />
      ) : null}
      <AddressFields
        provider={provider}
        values={form.address}
        errors={errors.address}
        onChange={(address) => onChange({ ...form, address })}
      />
      <AuthorizationChoice
        provider={provider}
        value={form.authorization}
        onChange={(authorization) => onChange({ ...form, authorization })}
      />
      {hidesCredential ? null : info?.credentials === 'env' ? (
        <FromEnvironment id={provider?.id ?? deriveId(form.name, new Set())} noun={noun} />
      ) : (
        <CredentialFields
          noun={noun}
          placeholder={credentialPlaceholder(form.authorization)}
          provider={provider}
          first={field('credential')}
          more={form.more}
          onMore={(more) => onChange({ ...form, more })}
          autoFocus={provider !== null && isNew && provider.address === null}
        />
      )}
      {isInsecure(form, provider) ? (
        <InsecureHttp
          allowed={form.allowInsecureHttp}
          error={errors.allowInsecureHttp}
          onChange={(allowInsecureHttp) => onChange({ ...form, allowInsecureHttp })}
        />
      ) : null}
      {consoleUrl !== null && !provider?.hasCredential && !hidesCredential ? (
        <button
          type="button"
          onClick={() => void openExternal(consoleUrl)}
          className="-mt-2 flex items-center gap-1 self-start text-accent-ink text-sm hover:underline"
        >
          Create a key at {provider?.name} <ExternalLink size={12} aria-hidden />
        </button>
      ) : null}
      {form.apiFormat === null ? null : (
        <NetworkChoice value={form.network} onChange={(network) => onChange({ ...form, network })} />
      )}
      {form.apiFormat === null || isNew ? null : (
        <PromptCacheChoice
          on={form.promptCache}
          onChange={(promptCache) => onChange({ ...form, promptCache })}
        />
      )}
    </>
  )
}

/** The note with `--credentials env`, where nothing can be entered. */
function FromEnvironment({ id, noun }: { id: string | null; noun: string }) {
  const variable = (
    <span className="font-mono">{id === null ? '<NAME>_API_KEY' : credentialVariable(id)}</span>
  )
  return (
    <div className="flex flex-col gap-1">
      <p className="font-medium text-ink-2 text-sm">{capitalize(noun)}</p>
      <p className="text-ink-3 text-sm">
        Tollgate reads it from the environment. Set {variable} and start Tollgate again.
      </p>
    </div>
  )
}

interface InsecureHttpProps {
  allowed: boolean
  error: string | undefined
  onChange: (allowed: boolean) => void
}

function InsecureHttp({ allowed, error, onChange }: InsecureHttpProps) {
  return (
    <div className="flex flex-col gap-1.5 text-sm">
      <div className="flex items-center justify-between gap-4">
        <p>Send the credential without encryption</p>
        <Switch label="Send the credential without encryption" on={allowed} onChange={onChange} />
      </div>
      <p className="text-ink-3">
        This URL uses http:// and is outside your network, so anyone along the way can read the credential.
      </p>
      {error && !allowed ? (
        <p role="alert" className="text-bad">
          {error}
        </p>
      ) : null}
    </div>
  )
}

interface AddressFieldsProps {
  provider: ProviderRecord | null
  /** Null where the base URL is entered itself. */
  values: ProviderForm['address']
  errors: FormErrors['address']
  onChange: (address: ProviderForm['address']) => void
}

/** The names that the base URL of a new provider is made of, such as a region. */
function AddressFields({ provider, values, errors, onChange }: AddressFieldsProps) {
  if (values === null) return null
  return provider?.address?.fields.map(({ name, label, hint, example }, index) => (
    <TextField
      key={name}
      label={label}
      mono
      autoFocus={index === 0}
      value={values[name] ?? ''}
      error={errors?.[name]}
      onChange={(value) => onChange({ ...values, [name]: value })}
      placeholder={example}
      hint={hint}
    />
  ))
}

const OPTIONS = [
  { value: 'settings', label: 'As in Settings' },
  { value: 'direct', label: 'Direct, without a proxy' },
  { value: 'system', label: 'This computer’s proxy and certificates' },
] as const

interface NetworkChoiceProps {
  /** Null: as in the settings. */
  value: Network | null
  onChange: (network: Network | null) => void
}

function NetworkChoice({ value, onChange }: NetworkChoiceProps) {
  return (
    <Field label="Network" hint="How the provider is reached, if that differs from the others.">
      {({ id }) => (
        <Select
          id={id}
          label="Network"
          options={OPTIONS}
          value={value ?? 'settings'}
          onChange={(chosen) => onChange(chosen === 'settings' ? null : chosen)}
        />
      )}
    </Field>
  )
}

function PromptCacheChoice({ on, onChange }: { on: boolean; onChange: (on: boolean) => void }) {
  return (
    <div className="flex flex-col gap-1.5 text-sm">
      <div className="flex items-center justify-between gap-4">
        <p className="font-medium text-ink-2">Keep prompts in the provider’s cache</p>
        <Switch label="Keep prompts in the provider’s cache" on={on} onChange={onChange} />
      </div>
      <p className="text-ink-3">
        Conversations that Tollgate translates into this provider’s format are marked for its cache, where
        input costs less. Requests that already have this format stay unchanged.
      </p>
    </div>
  )
}

interface BaseUrlFieldProps {
  value: string
  error: string | undefined
  hint: string
  onChange: (value: string) => void
}

function BaseUrlField({ value, error, hint, onChange }: BaseUrlFieldProps) {
  const { typing, startTyping, fieldProps } = useTyping()
  const meant = typing ? null : fixBaseUrl(value)
  return (
    <div className="flex flex-col gap-1.5">
      <TextField
        label="Base URL"
        mono
        value={value}
        error={error}
        hint={hint}
        onChange={(text) => {
          startTyping()
          onChange(text)
        }}
        {...fieldProps}
        placeholder="http://127.0.0.1:8080/v1"
      />
      {meant === null ? null : (
        <FixOffer action={`Use ${meant}`} onFix={() => onChange(meant)}>
          This does not look like a base URL.
        </FixOffer>
      )}
    </div>
  )
}

interface Choice {
  label: string
  /** The path of its requests, after the base URL. */
  path: string
}

const choices: Readonly<Record<ApiFormat, Choice>> = {
  'openai-chat': { label: 'OpenAI chat completions', path: '/chat/completions' },
  'openai-responses': { label: 'OpenAI Responses', path: '/responses' },
  'anthropic-messages': { label: 'Anthropic Messages', path: '/messages' },
  'gemini-generate': { label: 'Gemini generateContent', path: '/models' },
}

const options = API_FORMATS.map((value) => ({
  value,
  label: choices[value].label,
  hint: choices[value].path,
}))

/** The text before the path of the format's requests. */
function baseUrlHint(format: ApiFormat | null): string {
  return `Everything before ${choices[format ?? 'openai-chat'].path}.`
}

interface FormatChoiceProps {
  value: ApiFormat
  onChange: (format: ApiFormat) => void
}

/** The choice for servers that are not known ones. */
function FormatChoice({ value, onChange }: FormatChoiceProps) {
  return (
    <Field label="API format" hint="Most servers use OpenAI’s chat completions format.">
      {({ id }) => <Select id={id} label="API format" options={options} value={value} onChange={onChange} />}
    </Field>
  )
}
