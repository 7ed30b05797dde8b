import { Plus, X } from 'lucide-react'
import { MAX_CREDENTIALS, type ProviderRecord } from '../../../shared/providers.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'

interface CredentialFieldsProps {
  /** What an empty field shows. */
  placeholder: string
  /** Null for a custom server. */
  provider: ProviderRecord | null
  first: { value: string; error: string | undefined; onChange: (value: string) => void }
  more: string[]
  onMore: (more: string[]) => void
  autoFocus: boolean
}

export function CredentialFields({
  placeholder,
  provider,
  first,
  more,
  onMore,
  autoFocus,
}: CredentialFieldsProps) {
  const stored = provider?.credentialCount ?? 0
  return (
    <div className="flex flex-col gap-2">
      <TextField
        label={stored > 1 ? 'Replace credentials' : stored === 1 ? 'Replace credential' : 'Credential'}
        type="password"
        mono
        autoFocus={autoFocus}
        {...first}
        placeholder={stored === 0 ? placeholder : getPlaceholder(stored)}
        hint={getHint(provider, stored, more.length > 0)}
      />
      {more.map((value, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: typed values have no identity other than their position
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
            label={`Remove credential ${index + 2}`}
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

function getPlaceholder(stored: number): string {
  return stored === 1 ? '1 stored; leave blank to keep it' : `${stored} stored; leave blank to keep them`
}

function getHint(provider: ProviderRecord | null, stored: number, several: boolean): string {
  if (stored > 1 || (stored === 1 && several)) {
    return 'This replaces all stored credentials: enter every one you want to use.'
  }
  if (several)
    return 'When one is rate-limited or rejected, the next is used. All are stored in the keychain.'
  return provider === null
    ? 'Leave blank if the server needs none. Stored in the keychain of this computer.'
    : 'Stored in the keychain of this computer and never shown again.'
}
