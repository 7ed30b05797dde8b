import { useQuery } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import type { ComponentProps } from 'react'
import type { GatewayInfo } from '../../../shared/api/account.ts'
import { MAX_CREDENTIALS, type ProviderRecord } from '../../../shared/api/providers.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { IconButton } from '../../kit/icon-button.tsx'
import { capitalize } from './authorization-choice.tsx'
import { FixableField } from './fixable-field.tsx'
import { fixKey } from './input-mistakes.ts'

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
          {`Add another ${noun}`}
        </Button>
      ) : null}
    </div>
  )
}

type SecretFieldProps = Omit<ComponentProps<typeof FixableField>, 'problem' | 'fix'>

function SecretField(props: SecretFieldProps) {
  return (
    <FixableField
      type="password"
      mono
      problem="More than the key was pasted."
      fix={(text) => {
        const mistake = fixKey(text)
        return mistake && { action: `Remove ${mistake.excess}`, fixed: mistake.fixed }
      }}
      {...props}
    />
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
