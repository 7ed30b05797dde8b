// Owns a secret in sight, to be copied. Knows nothing of how it was made, or of how long it can be seen.
import { CopyButton } from '../../components/copy.tsx'

export function Secret({ secret }: { secret: string }) {
  return (
    <div className="flex items-center gap-2">
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
