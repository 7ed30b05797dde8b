import type { Authorization } from '../../../shared/api/authorization.ts'
import type { ProviderRecord } from '../../../shared/api/providers.ts'
import { lowerLabel } from '../../../shared/values/locale.ts'
import { Field } from '../../kit/field.tsx'
import { Select } from '../../kit/select.tsx'

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
