import { KeyRound } from 'lucide-react'
import { toast } from 'sonner'
import { createKey } from '../../data/mutations.ts'
import { Button } from '../../kit/button.tsx'
import { formatUsd } from '../../kit/format.ts'
import { InlineError } from '../../kit/notice.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { DEFAULT_CAP_USD } from '../../parts/limits/default-cap.ts'

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
