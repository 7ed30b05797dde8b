import { Switch } from '../../kit/switch.tsx'

interface InsecureHttpProps {
  allowed: boolean
  error: string | undefined
  onChange: (allowed: boolean) => void
}

export function InsecureHttp({ allowed, error, onChange }: InsecureHttpProps) {
  return (
    <div className="flex flex-col gap-1.5 text-sm">
      <div className="flex items-center justify-between gap-4">
        <p>Send the credential without encryption</p>
        <Switch label="Send the credential without encryption" on={allowed} onChange={onChange} />
      </div>
      <p className="text-ink-3">
        This URL uses http:// and is outside your network, so anyone along the way can read the credential.
      </p>
      {error && !allowed ? (
        <p role="alert" className="text-bad">
          {error}
        </p>
      ) : null}
    </div>
  )
}
