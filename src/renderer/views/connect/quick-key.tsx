import { KeyRound } from 'lucide-react'
import { toast } from 'sonner'
import { Button } from '../../components/button.tsx'
import { InlineError } from '../../components/notice.tsx'
import { formatUsd } from '../../format.ts'
import { DEFAULT_CAP_USD } from '../../limits/default-cap.ts'
import { createKey } from '../../server-state/mutations.ts'
import { useSubmit } from '../../use-submit.ts'

interface QuickKeyProps {
  tool: string
  /** The text to paste has no secret yet. */
  needed: boolean
  /** It is the main action of the page. */
  primary: boolean
  onCreated: (id: string) => void
}

export function QuickKey({ tool, needed, primary, onCreated }: QuickKeyProps) {
  const { pending, error, submit } = useSubmit()
  const create = () =>
    submit(
      async () => {
        const key = await createKey({ name: tool, scope: 'completions-only', spendLimitUsd: DEFAULT_CAP_USD })
        toast.success(
          `Created the key “${tool}” with a cap of ${formatUsd(DEFAULT_CAP_USD)}. The snippet below includes it.`,
        )
        return key
      },
      ({ id }) => onCreated(id),
    )
  return (
    <div className="flex flex-wrap items-center justify-end gap-2">
      <InlineError error={error} />
      <Button
        needsGateway
        variant={needed && primary ? 'primary' : 'secondary'}
        icon={KeyRound}
        pending={pending}
        onClick={() => void create()}
      >
        Create key for {tool}
      </Button>
    </div>
  )
}
