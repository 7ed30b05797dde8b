// Owns entering one credential of a provider, or several. What is stored is never shown, only how many there are.
import { Plus, X } from 'lucide-react'
import { MAX_CREDENTIALS, type ProviderRecord } from '../../../shared/providers.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'

interface CredentialFieldsProps {
  /** Null: a custom server. */
  provider: ProviderRecord | null
  first: { value: string; error: string | undefined; onChange: (value: string) => void }
  more: string[]
  onMore: (more: string[]) => void
  autoFocus: boolean
}

export function CredentialFields({ provider, first, more, onMore, autoFocus }: CredentialFieldsProps) {
  const stored = provider?.credentialCount ?? 0
  return (
    <div className="flex flex-col gap-2">
      <TextField
        label={stored > 1 ? 'Replace credentials' : stored === 1 ? 'Replace credential' : 'Credential'}
        type="password"
        mono
        autoFocus={autoFocus}
        {...first}
        placeholder={stored === 0 ? 'API key of the provider' : placeholder(stored)}
        hint={hint(provider, stored, more.length > 0)}
      />
      {more.map((value, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: what is typed has no identity but its place
        <div key={index} className="flex items-end gap-1">
          <TextField
            label={`Credential ${index + 2}`}
            type="password"
            mono
            autoFocus
            value={value}
            onChange={(text) => onMore(more.with(index, text))}
            className="flex-1"
          />
          <IconButton
            label={`Leave out credential ${index + 2}`}
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
          Add another credential
        </Button>
      ) : null}
    </div>
  )
}

function placeholder(stored: number): string {
  return stored === 1
    ? 'One is stored; leave blank to keep it'
    : `${stored} credentials are stored; leave blank to keep them`
}

function hint(provider: ProviderRecord | null, stored: number, several: boolean): string {
  if (stored > 1 || (stored === 1 && several)) {
    return 'What you enter takes the place of all that are stored: enter every one that is to be used.'
  }
  if (several) return 'When one is limited or refused, the next is taken. All go into the keychain.'
  return provider === null
    ? 'Leave blank if the server asks for none. It goes into the keychain of this computer.'
    : 'It goes into the keychain of this computer, and is never shown again.'
}
