import { useQuery } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import type { GatewayInfo } from '../../../shared/api/account.ts'
import type { Authorization } from '../../../shared/api/authorization.ts'
import { MAX_CREDENTIALS, type ProviderRecord } from '../../../shared/api/providers.ts'
import { lowerLabel } from '../../../shared/values/locale.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { Field, TextField } from '../../kit/field.tsx'
import { IconButton } from '../../kit/icon-button.tsx'
import { Select } from '../../kit/select.tsx'

interface CredentialFieldsProps {
  /** The name of the provider's credential, such as "API key". */
  noun: string
  /** The placeholder of an empty field. */
  placeholder: string
  /** Null for a custom server. */
  provider: ProviderRecord | null
  first: { value: string; error: string | null; onChange: (value: string) => void }
  more: string[]
  onMore: (more: string[]) => void
  autoFocus: boolean
}

export function CredentialFields({
  noun,
  placeholder,
  provider,
  first,
  more,
  onMore,
  autoFocus,
}: CredentialFieldsProps) {
  const { data: info } = useQuery(queries.gateway)
  const stored = provider?.credentialCount ?? 0
  return (
    <div className="flex flex-col gap-2">
      <TextField
        type="password"
        mono
        label={getLabel(noun, stored)}
        autoFocus={autoFocus}
        {...first}
        placeholder={stored === 0 ? placeholder : describeStored(stored)}
        hint={describePlace(credentialPlace(info), stored, {
          isCustom: provider === null,
          more: more.length,
        })}
      />
      {more.map((value, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: typed values have no identity other than their position
        <div key={index} className="flex items-end gap-1">
          <TextField
            type="password"
            mono
            className="min-w-0 flex-1"
            label={`${capitalize(noun)} ${index + 2}`}
            autoFocus
            value={value}
            onChange={(text) => onMore(more.with(index, text))}
          />
          <IconButton
            label={`Remove ${noun} ${index + 2}`}
            icon={X}
            onClick={() => onMore(more.toSpliced(index, 1))}
          />
        </div>
      ))}
      {more.length + 1 < MAX_CREDENTIALS ? (
        <Button
          small
          variant="quiet"
          icon={Plus}
          onClick={() => onMore([...more, ''])}
          className="-ml-2 self-start"
        >
          {`Add another ${noun}`}
        </Button>
      ) : null}
    </div>
  )
}

function getLabel(noun: string, stored: number): string {
  if (stored === 0) return capitalize(noun)
  return stored === 1 ? `Replace ${noun}` : `Replace ${noun}s`
}

function describeStored(stored: number): string {
  return stored === 1 ? 'Saved. Leave blank to keep it.' : `${stored} saved. Leave blank to keep them.`
}

function describePlace(
  { stored: place, allStored }: ReturnType<typeof credentialPlace>,
  stored: number,
  { isCustom, more }: { isCustom: boolean; more: number },
): string {
  if (stored > 1 || (stored === 1 && more > 0)) {
    return 'This replaces all that are saved: enter every one you want to use.'
  }
  if (more > 0) return `When one is rate-limited or rejected, the next is used. ${allStored}`
  return isCustom ? `Leave blank if the server needs none. ${place}` : place
}

interface Place {
  /** Under an empty field for a key. */
  stored: string
  /** After several keys were entered. */
  allStored: string
  /** The place of a key that is imported from the environment. */
  imported: string
  /** In the list without providers. */
  only: string
  /** The effect of removing a provider. */
  deleted: string
}

/** Where credentials are kept, by the option `--credentials`. */
const places: Readonly<Record<GatewayInfo['credentials'], Place>> = {
  keychain: {
    stored: 'Stored in the keychain of this computer and never shown again.',
    allStored: 'All are stored in the keychain of this computer.',
    imported: 'The value is copied into the keychain of this computer and never shown.',
    only: 'Its API key is stored only in the keychain of this computer.',
    deleted: 'its API key is deleted from the keychain',
  },
  memory: {
    stored: 'Kept in memory until Tollgate stops, and never shown again.',
    allStored: 'All are kept in memory until Tollgate stops.',
    imported: 'The value is kept in memory until Tollgate stops, and never shown.',
    only: 'Its API key is kept in memory until Tollgate stops.',
    deleted: 'its API key is deleted',
  },
  env: {
    stored: 'Read from the environment when Tollgate starts.',
    allStored: 'Read from the environment when Tollgate starts.',
    imported: 'Tollgate reads the value from the environment and stores nothing.',
    only: 'Its API key is read from an environment variable.',
    deleted: 'its API key stays in the environment',
  },
}

/** The words for the place; those of the keychain until the gateway has answered. */
export function credentialPlace(info: Pick<GatewayInfo, 'credentials'> | undefined): Place {
  return places[info?.credentials ?? 'keychain']
}

/** The environment variable that most people would set for the provider. */
export function credentialVariable(providerId: string): string {
  return `${providerId.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}_API_KEY`
}

interface Choice {
  label: string
  hint: string
  /** The placeholder of an empty field for the credential. */
  placeholder: string
}

const API_KEY = 'Paste your key'
const header = (label: string): Choice => ({ label, hint: 'Sent with every request', placeholder: API_KEY })

const choices: Readonly<Record<Authorization, Choice>> = {
  bearer: header('API key'),
  'api-key': header('API key'),
  'x-api-key': header('API key'),
  'x-goog-api-key': header('API key'),
  'aws-access-key': {
    label: 'AWS access key',
    hint: 'IAM user or role. Only signatures are sent.',
    placeholder: 'ACCESS_KEY_ID:SECRET_ACCESS_KEY',
  },
  'aws-login': {
    label: 'AWS login of this computer',
    hint: 'From “aws configure”, “aws sso login” or the environment',
    placeholder: '',
  },
  'google-service-account': {
    label: 'Service account key',
    hint: 'The JSON file that Google Cloud creates',
    placeholder: 'Content of the JSON file',
  },
  'google-login': {
    label: 'Google login of this computer',
    hint: 'From “gcloud auth application-default login”',
    placeholder: '',
  },
  'entra-client-secret': {
    label: 'Client secret of Entra ID',
    hint: 'An app registration with the role Cognitive Services OpenAI User',
    placeholder: 'TENANT_ID:CLIENT_ID:CLIENT_SECRET',
  },
  'azure-login': {
    label: 'Azure login of this computer',
    hint: 'From “az login”, a managed identity or the environment',
    placeholder: '',
  },
}

/** The name of the credential within a sentence. */
export function credentialNoun(authorization: Authorization | null): string {
  return lowerLabel(authorization === null ? 'API key' : choices[authorization].label)
}

export function capitalize(noun: string): string {
  return noun.charAt(0).toUpperCase() + noun.slice(1)
}

/** The placeholder in an empty field for the credential. */
export function credentialPlaceholder(authorization: Authorization | null): string {
  return authorization === null ? API_KEY : choices[authorization].placeholder
}

interface AuthorizationChoiceProps {
  provider: ProviderRecord | null
  value: Authorization | null
  onChange: (authorization: Authorization) => void
}

/** Shown where the provider accepts several kinds of credentials. */
export function AuthorizationChoice({ provider, value, onChange }: AuthorizationChoiceProps) {
  if (!provider || value === null || provider.authorizations.length === 0) return null
  const options = provider.authorizations.map((each) => ({
    value: each,
    label: choices[each].label,
    hint: choices[each].hint,
  }))
  return (
    <Field label="Sign in with" hint={`${choices[value].hint}.`}>
      {({ id }) => (
        <Select id={id} label="Sign in with" options={options} value={value} onChange={onChange} />
      )}
    </Field>
  )
}
