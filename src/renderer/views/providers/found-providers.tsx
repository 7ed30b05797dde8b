// Owns offering what this computer has already: servers that run, credentials in the environment. One press each.
import { HardDrive, type LucideIcon, Terminal } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { toast } from 'sonner'
import { type ApiError, toApiError } from '../../api-error.ts'
import { Button } from '../../components/button.tsx'
import { InlineError } from '../../components/notice.tsx'
import { useFoundProviders } from '../../stores/found-providers.ts'
import { useProviders } from '../../stores/providers.ts'
import { countedModels, notYetAdded, notYetImported } from './found.ts'

export function FoundProviders() {
  const { servers, serversError, credentials, credentialsError, look } = useFoundProviders()
  const { providers, putProvider, importProvider } = useProviders()
  useEffect(() => void look(), [look])
  const running = notYetAdded(servers, providers)
  const importable = notYetImported(credentials, providers)
  // Not by a condition here: a section also stays for what it has to say of its last find.
  return (
    <div className="mb-5 flex flex-col gap-5 not-has-[section]:hidden">
      <Finds
        title="Found on this machine"
        icon={HardDrive}
        error={serversError}
        verb="Add"
        finds={running.map(({ id, name, baseUrl, modelCount }) => ({
          id,
          name,
          note: (
            <>
              <span className="font-mono">{new URL(baseUrl).host}</span>, {countedModels(modelCount)}
            </>
          ),
        }))}
        onTake={(id) => putProvider(id, {})}
      />
      <Finds
        title="In your environment"
        hint="The value is copied into the keychain of this computer, and never shown."
        icon={Terminal}
        error={credentialsError}
        verb="Import"
        finds={importable.map(({ id, name, variable }) => ({
          id,
          name,
          note: <span className="font-mono">{variable}</span>,
        }))}
        onTake={importProvider}
      />
      <h3 className="-mb-3 font-medium text-ink-2 text-sm">All providers</h3>
    </div>
  )
}

interface Find {
  id: string
  name: string
  note: ReactNode
}

interface FindsProps {
  title: string
  hint?: string
  icon: LucideIcon
  error: ApiError | null
  /** What the button of each does. */
  verb: string
  finds: Find[]
  /** Sets the provider up; its models are read afterwards. */
  onTake: (id: string) => Promise<void>
}

function Finds({ title, hint, icon: Icon, error, verb, finds, onTake }: FindsProps) {
  const fetchModels = useProviders((store) => store.fetchModels)
  const [taking, setTaking] = useState<string | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  if (finds.length === 0 && error === null && failure === null) return null

  const take = async ({ id, name }: Find) => {
    setTaking(id)
    setFailure(null)
    let added = false
    try {
      await onTake(id)
      added = true
      toast.success(`${name} is added, with ${countedModels(await fetchModels(id))}.`)
    } catch (thrown) {
      const { message } = toApiError(thrown)
      setFailure(added ? `${name} is added, but its models could not be read: ${message}` : message)
    } finally {
      setTaking(null)
    }
  }

  return (
    <section aria-label={title} className="flex flex-col gap-2">
      <div>
        <h3 className="font-medium text-ink-2 text-sm">{title}</h3>
        {hint && finds.length > 0 ? <p className="text-ink-3 text-sm">{hint}</p> : null}
      </div>
      {finds.length > 0 ? (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
          {finds.map((find) => (
            <li key={find.id} className="flex items-center gap-3 px-3 py-2">
              <Icon size={15} aria-hidden className="shrink-0 text-ink-3" />
              <span className="min-w-0 flex-1">
                <span className="block truncate font-medium">{find.name}</span>
                <span className="block truncate text-ink-3 text-sm">{find.note}</span>
              </span>
              <Button
                small
                pending={taking === find.id}
                disabled={taking !== null}
                onClick={() => void take(find)}
              >
                {verb} {find.name}
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
      <InlineError error={failure ?? error} />
    </section>
  )
}
