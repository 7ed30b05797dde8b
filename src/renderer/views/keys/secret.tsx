// Owns a secret in sight, to be copied. Knows nothing of how it was made, or of how long it can be seen.
import { useEffect, useRef } from 'react'
import { CopyButton } from '../../components/copy.tsx'

export function Secret({ secret }: { secret: string }) {
  const row = useRef<HTMLDivElement>(null)
  // The form that made it is gone, and the focus with it: copying is what comes next.
  useEffect(() => row.current?.querySelector('button')?.focus(), [])
  return (
    <div ref={row} className="flex items-center gap-2">
      <input
        readOnly
        aria-label="Secret"
        value={secret}
        onFocus={(event) => event.target.select()}
        className="h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-sunken px-2.5 font-mono text-sm"
      />
      <CopyButton text={secret} label="Copy secret" primary />
    </div>
  )
}
