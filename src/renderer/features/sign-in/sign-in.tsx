import { type FormEvent, useState } from 'react'
import { useSession } from '../../data/session.ts'
import { Button } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { Mark } from '../../kit/mark.tsx'
import { InlineError } from '../../kit/notice.tsx'

export function SignIn() {
  const { error, pending, signIn } = useSession()
  const [key, setKey] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (key.trim()) void signIn(key.trim())
  }
  const command = <code className="font-mono">tollgate admin-key --reset</code>
  return (
    <main className="flex h-full items-center justify-center p-6">
      <form onSubmit={submit} className="w-full max-w-sm">
        <Mark size={32} />
        <h1 className="mt-4 font-semibold text-xl">Sign in to Tollgate</h1>
        <p className="mt-1 mb-5 text-ink-2">
          Use an admin key of this gateway. The first one was printed when the gateway was started for the
          first time.
        </p>
        <div className="flex flex-col gap-4">
          <TextField
            label="Admin key"
            type="password"
            placeholder="tg-…"
            autoFocus
            mono
            value={key}
            onChange={setKey}
            hint={
              <>
                Stored in this tab only, until you close it. Lost your admin key? Stop Tollgate and run{' '}
                {command}.
              </>
            }
          />
          <InlineError error={error} />
          <Button type="submit" variant="primary" pending={pending} disabled={key.trim() === ''}>
            Sign in
          </Button>
        </div>
      </form>
    </main>
  )
}
