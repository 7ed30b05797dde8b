import { useQuery } from '@tanstack/react-query'
import { ChevronRight, Plug } from 'lucide-react'
import { useState } from 'react'
import type { ProviderRecord } from '../../../shared/providers.ts'
import { Dialog } from '../../components/dialog.tsx'
import { queries } from '../../server-state/queries.ts'
import { FoundProviders } from './found-providers.tsx'
import { SetUpProvider } from './set-up-provider.tsx'

export function AddProvider({ onClose }: { onClose: () => void }) {
  const { data: providers = [] } = useQuery(queries.providers)
  const [chosen, setChosen] = useState<ProviderRecord | 'custom' | null>(null)
  if (chosen !== null) {
    return (
      <SetUpProvider
        provider={chosen === 'custom' ? null : chosen}
        onClose={onClose}
        onBack={() => setChosen(null)}
      />
    )
  }
  const known = providers.filter(({ configured }) => !configured)
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Add provider"
      description="Choose a provider you have an account with, or a server on this computer."
    >
      <FoundProviders />
      <div className="grid grid-cols-2 gap-2">
        {known.map((provider) => (
          <Option
            key={provider.id}
            name={provider.name}
            note={provider.local ? 'On this computer' : hostOf(provider)}
            onChoose={() => setChosen(provider)}
          />
        ))}
        <Option
          name="Custom server"
          note="OpenAI, Anthropic or Gemini format"
          onChoose={() => setChosen('custom')}
        />
      </div>
    </Dialog>
  )
}

function Option({ name, note, onChoose }: { name: string; note: string; onChoose: () => void }) {
  return (
    <button
      type="button"
      aria-label={name}
      onClick={onChoose}
      className="flex items-center gap-3 rounded-lg border border-line bg-surface px-3 py-2.5 text-left hover:border-line-strong hover:bg-sunken"
    >
      <Plug size={15} aria-hidden className="shrink-0 text-ink-3" />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{name}</span>
        <span className="block truncate text-ink-3 text-sm">{note}</span>
      </span>
      <ChevronRight size={14} aria-hidden className="shrink-0 text-ink-3" />
    </button>
  )
}

/** Of an address that the user completes, the part that is the same for everyone. */
function hostOf({ baseUrl, address }: ProviderRecord): string {
  const url = baseUrl ?? address?.template ?? ''
  if (URL.canParse(url) && !url.includes('{')) return new URL(url).host
  return (/^https?:\/\/([^/]+)/.exec(url)?.[1] ?? url).replace(/^.*\}[.-]/, '')
}
