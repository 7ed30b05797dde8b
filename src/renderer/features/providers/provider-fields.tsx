import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import { usesMachineLogin } from '../../../shared/api/authorization.ts'
import type { ProviderRecord } from '../../../shared/api/providers.ts'
import { queries } from '../../data/queries.ts'
import { openExternal } from '../../kit/external.ts'
import { TextField } from '../../kit/field.tsx'
import { AddressFields } from './address-fields.tsx'
import {
  AuthorizationChoice,
  credentialNoun,
  credentialPlaceholder,
  startSentence,
} from './authorization-choice.tsx'
import { BaseUrlField } from './base-url-field.tsx'
import { CredentialFields } from './credential-fields.tsx'
import { credentialVariable } from './credential-places.ts'
import { baseUrlHint, FormatChoice } from './format-choice.tsx'
import { InsecureHttp } from './insecure-http.tsx'
import { NetworkChoice } from './network-choice.tsx'
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
    </>
  )
}

/** The note with `--credentials env`, where nothing can be entered. */
function FromEnvironment({ id, noun }: { id: string | null; noun: string }) {
  return (
    <div className="flex flex-col gap-1">
      <p className="font-medium text-ink-2 text-sm">{startSentence(noun)}</p>
      <p className="text-ink-3 text-sm">
        Tollgate reads it from the environment. Set{' '}
        <span className="font-mono">{id === null ? '<NAME>_API_KEY' : credentialVariable(id)}</span> and start
        Tollgate again.
      </p>
    </div>
  )
}
