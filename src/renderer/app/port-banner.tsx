import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { toast } from 'sonner'
import { Link } from 'wouter'
import { setPort } from '../data/mutations.ts'
import { queries } from '../data/queries.ts'
import { Button } from '../kit/button.tsx'
import { useSubmit } from '../kit/use-submit.ts'

export function PortBanner() {
  const { data: desktop } = useQuery(queries.desktop)
  const { pending, error, submit } = useSubmit()
  if (!desktop?.listenError) return null
  const { listenError, suggestedPort } = desktop
  const changePort = (port: number) =>
    submit(async () => {
      await setPort(port)
      toast.success(`The gateway now listens on port ${port}.`)
    })
  return (
    <div
      role="alert"
      className="flex min-h-11 shrink-0 items-center gap-3 border-line border-b bg-warn-soft px-4 py-1.5 text-warn"
    >
      <TriangleAlert size={15} aria-hidden className="shrink-0" />
      <p className="min-w-0 flex-1">
        <strong className="font-semibold">The gateway is not listening.</strong>{' '}
        {error?.message ?? listenError}{' '}
        <span className="max-lg:hidden">Tools cannot reach it; this window can.</span>
      </p>
      {suggestedPort === null ? null : (
        <Button small pending={pending} onClick={() => void changePort(suggestedPort)}>
          Use port {suggestedPort}
        </Button>
      )}
      <Link href="/settings" className="font-medium text-sm underline underline-offset-2">
        Choose a port
      </Link>
    </div>
  )
}
