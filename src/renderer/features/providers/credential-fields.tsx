import { useQuery } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { MAX_CREDENTIALS, type ProviderRecord } from '../../../shared/api/providers.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { IconButton } from '../../kit/icon-button.tsx'
import { capitalize } from './authorization-choice.tsx'
import { credentialPlace } from './credential-places.ts'
import { FixOffer } from './fix-offer.tsx'
import { fixKey } from './input-mistakes.ts'
import { useTyping } from './use-typing.ts'

interface CredentialFieldsProps {
  /** The name of the provider's credential, such as "API key". */
  noun: string
  /** The placeholder of an empty field. */
  placeholder: string
  /** Null for a custom server. */
  provider: ProviderRecord | null
  first: { value: string; error: string | undefined; onChange: (value: string) => void }
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
      <SecretField
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
          <SecretField
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
          Add another {noun}
        </Button>
      ) : null}
    </div>
  )
}

interface SecretFieldProps {
  label: string
  value: string
  onChange: (value: string) => void
  error?: string | undefined
  hint?: string
  placeholder?: string
  autoFocus: boolean
}

function SecretField({ value, onChange, ...rest }: SecretFieldProps) {
  const { typing, startTyping, fieldProps } = useTyping()
  const mistake = typing ? null : fixKey(value)
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-1.5">
      <TextField
        type="password"
        mono
        value={value}
        onChange={(text) => {
          startTyping()
          onChange(text)
        }}
        {...fieldProps}
        {...rest}
      />
      {mistake === null ? null : (
        <FixOffer action={`Remove ${mistake.excess}`} onFix={() => onChange(mistake.fixed)}>
          More than the key was pasted.
        </FixOffer>
      )}
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
