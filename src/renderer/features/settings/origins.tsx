import { X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { type Settings, SettingsUpdate } from '../../../shared/api/account.ts'
import { updateSettings } from '../../data/mutations.ts'
import { Button } from '../../kit/button.tsx'
import { Input } from '../../kit/field.tsx'
import { IconButton } from '../../kit/icon-button.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { Row, Section } from './section.tsx'

function isOrigin(text: string): boolean {
  return SettingsUpdate.safeParse({ allowedOrigins: [text] }).success
}

export function OriginsSection({ settings }: { settings: Settings }) {
  const origins = settings.allowedOrigins
  const [text, setText] = useState('')
  const { pending, error, submit, reset } = useSubmit()
  const [invalid, setInvalid] = useState<string | null>(null)
  const shownError = invalid ?? error?.message ?? null
  const save = (next: string[]) => {
    setInvalid(null)
    void submit(
      () => updateSettings({ allowedOrigins: next }),
      () => setText(''),
    )
  }
  const add = (event: FormEvent) => {
    event.preventDefault()
    const origin = text.trim().replace(/\/$/, '')
    if (!isOrigin(origin))
      return setInvalid('Enter an origin such as https://example.org or http://localhost:3000.')
    if (!origins.includes(origin)) save([...origins, origin])
  }
  return (
    <Section title="Browser access (CORS)">
      <Row
        title="Allowed origins"
        text="Requests from other web pages are rejected, even with a valid key. Allow only origins that you trust with a key."
        below={
          <>
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
                      onClick={() => save(origins.filter((other) => other !== origin))}
                    />
                  </li>
                ))}
              </ul>
            ) : null}
            <form onSubmit={add} className="mt-2 flex gap-2">
              <Input
                aria-label="Origin"
                aria-invalid={shownError !== null}
                placeholder="https://example.org"
                value={text}
                onChange={(event) => {
                  setText(event.target.value)
                  setInvalid(null)
                  reset()
                }}
                className="max-w-72 font-mono text-sm"
              />
              <Button type="submit" pending={pending} disabled={text.trim() === ''}>
                Allow origin
              </Button>
            </form>
            {shownError ? (
              <p role="alert" className="mt-1 text-bad text-sm">
                {shownError}
              </p>
            ) : null}
          </>
        }
      />
    </Section>
  )
}
