// Owns the setting of which web origins may call the gateway.
import { X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { type Settings, SettingsUpdate } from '../../../shared/account.ts'
import { toApiError } from '../../api-error.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { Input } from '../../components/field.tsx'
import { useSettings } from '../../stores/settings.ts'
import { Section } from './section.tsx'

function isOrigin(text: string): boolean {
  return SettingsUpdate.safeParse({ allowedOrigins: [text] }).success
}

export function OriginsSection({ settings }: { settings: Settings }) {
  const updateSettings = useSettings((store) => store.updateSettings)
  const origins = settings.allowedOrigins
  const [text, setText] = useState('')
  const [pending, setPending] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const store = async (next: string[]) => {
    setPending(true)
    setError(null)
    try {
      await updateSettings({ allowedOrigins: next })
      setText('')
    } catch (thrown) {
      setError(toApiError(thrown).message)
    } finally {
      setPending(false)
    }
  }
  const add = (event: FormEvent) => {
    event.preventDefault()
    const origin = text.trim().replace(/\/$/, '')
    if (!isOrigin(origin))
      return setError('Enter an origin such as https://example.org or http://localhost:3000.')
    if (!origins.includes(origin)) void store([...origins, origin])
  }
  return (
    <Section title="Web pages">
      <div className="px-4 py-3">
        <h3 className="font-medium">Allowed origins</h3>
        <p className="text-ink-3 text-sm">
          Pages of other origins are refused, even with a valid key. Allow only pages that you trust with one.
        </p>
        {origins.length > 0 ? (
          <ul className="mt-2 flex flex-col gap-1">
            {origins.map((origin) => (
              <li
                key={origin}
                className="flex h-8 items-center justify-between rounded-md bg-sunken pr-1 pl-2.5"
              >
                <span className="truncate font-mono text-sm">{origin}</span>
                <IconButton
                  label={`Remove ${origin}`}
                  icon={X}
                  small
                  disabled={pending}
                  onClick={() => void store(origins.filter((other) => other !== origin))}
                />
              </li>
            ))}
          </ul>
        ) : null}
        <form onSubmit={add} className="mt-2 flex gap-2">
          <Input
            aria-label="Origin"
            aria-invalid={error !== null}
            placeholder="https://example.org"
            value={text}
            onChange={(event) => {
              setText(event.target.value)
              setError(null)
            }}
            className="max-w-72 font-mono text-sm"
          />
          <Button type="submit" pending={pending} disabled={text.trim() === ''}>
            Allow origin
          </Button>
        </form>
        {error ? (
          <p role="alert" className="mt-1 text-bad text-sm">
            {error}
          </p>
        ) : null}
      </div>
    </Section>
  )
}
