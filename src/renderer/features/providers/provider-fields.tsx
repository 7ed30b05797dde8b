import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import { usesMachineLogin } from '../../../shared/api/authorization.ts'
import type { ProviderRecord } from '../../../shared/api/providers.ts'
import { queries } from '../../data/queries.ts'
import { openExternal } from '../../kit/external.ts'
import { TextField } from '../../kit/field.tsx'
import type { FormState } from '../../kit/form.tsx'
import {
  AuthorizationChoice,
  CredentialFields,
  capitalize,
  credentialNoun,
  credentialPlaceholder,
  credentialVariable,
} from './credential-fields.tsx'
import { cleanBaseUrl } from './pasted-text.ts'
import { baseUrlHint, deriveId, isCustom, isInsecure, type ProviderForm } from './provider-form.ts'

interface ProviderFieldsProps {
  /** Null for a custom server. */
  provider: ProviderRecord | null
  form: FormState<ProviderForm>
}

export function ProviderFields({ provider, form }: ProviderFieldsProps) {
  const { draft, change, field, getError } = form
  const isNew = !provider?.configured
  const insecure = isInsecure(draft, provider)
  return (
    <>
      {provider === null || !isNew ? field('name', { autoFocus: provider === null }) : null}
      {provider === null || provider.local || !isNew ? (
        <TextField
          label="Base URL"
          mono
          placeholder="http://127.0.0.1:8080/v1"
          hint={baseUrlHint(draft.apiFormat)}
          value={draft.baseUrl}
          error={getError('baseUrl')}
          onChange={(baseUrl) => change({ baseUrl })}
          onBlur={() => change({ baseUrl: cleanBaseUrl(draft.baseUrl) })}
        />
      ) : null}
      {draft.apiFormat !== null && isCustom(provider) ? field('apiFormat') : null}
      <AddressFields provider={provider} form={form} />
      <AuthorizationChoice
        provider={provider}
        value={draft.authorization}
        onChange={(authorization) => change({ authorization })}
      />
      <Credentials provider={provider} form={form} />
      {draft.more.length > 0 || (provider?.credentialCount ?? 0) > 1 ? field('spreadSessions') : null}
      {insecure ? field('allowInsecureHttp') : null}
      {draft.apiFormat === null ? null : field('network')}
      {draft.apiFormat === null || isNew ? null : field('promptCache')}
    </>
  )
}

/** The names that the base URL of a new provider is made of, such as a region. */
function AddressFields({ provider, form: { draft, change, getError } }: ProviderFieldsProps) {
  const values = draft.address
  if (values === null) return null
  return provider?.address?.fields.map(({ name, label, hint, example }, index) => (
    <TextField
      key={name}
      label={label}
      mono
      autoFocus={index === 0}
      value={values[name] ?? ''}
      error={getError('address', name)}
      onChange={(value) => change({ address: { ...values, [name]: value } })}
      placeholder={example}
      hint={hint}
    />
  ))
}

/** The fields for credentials, where the provider has some that can be entered. */
function Credentials({ provider, form: { draft, change, getError } }: ProviderFieldsProps) {
  const { data: info } = useQuery(queries.gateway)
  const isNew = !provider?.configured
  const { authorization } = draft
  const needsNone = provider?.needsCredential === false && !usesMachineLogin(provider.authorization)
  if (usesMachineLogin(authorization) || (needsNone && !provider.hasCredential && isNew)) return null
  const { consoleUrl = null } = provider ?? {}
  const noun = credentialNoun(authorization)
  return (
    <>
      {info?.credentials === 'env' ? (
        <FromEnvironment id={provider?.id ?? deriveId(draft.name, new Set())} noun={noun} />
      ) : (
        <CredentialFields
          noun={noun}
          placeholder={credentialPlaceholder(authorization)}
          provider={provider}
          first={{
            value: draft.credential,
            error: getError('credential'),
            onChange: (credential) => change({ credential }),
          }}
          more={draft.more}
          onMore={(more) => change({ more })}
          autoFocus={provider !== null && isNew && provider.address === null}
        />
      )}
      {consoleUrl !== null && !provider?.hasCredential ? (
        <button
          type="button"
          onClick={() => void openExternal(consoleUrl)}
          className="-mt-2 flex items-center gap-1 self-start text-accent-ink text-sm hover:underline"
        >
          Create a key at {provider?.name} <ExternalLink size={12} aria-hidden />
        </button>
      ) : null}
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
