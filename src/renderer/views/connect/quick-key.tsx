// Owns making a key for one tool in one click: named after it, with a cap that can be changed at any time.
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'
import { toApiError } from '../../api-error.ts'
import { Button } from '../../components/button.tsx'
import { formatUsd } from '../../format.ts'
import { useKeys } from '../../stores/keys.ts'

const CAP_USD = 5

interface QuickKeyProps {
  tool: string
  /** The text to paste still lacks a secret. */
  needed: boolean
  onCreated: (id: string) => void
}

export function QuickKey({ tool, needed, onCreated }: QuickKeyProps) {
  const createKey = useKeys((store) => store.createKey)
  const [pending, setPending] = useState(false)
  const make = async () => {
    setPending(true)
    try {
      const key = await createKey({ name: tool, scope: 'completions-only', spendLimitUsd: CAP_USD })
      toast.success(
        `“${tool}” is ready, with a cap of ${formatUsd(CAP_USD)}. Its secret is in the text below.`,
      )
      onCreated(key.id)
    } catch (thrown) {
      toast.error(toApiError(thrown).message)
    } finally {
      setPending(false)
    }
  }
  return (
    <Button
      variant={needed ? 'primary' : 'secondary'}
      icon={KeyRound}
      pending={pending}
      onClick={() => void make()}
    >
      Make a key for {tool}
    </Button>
  )
}
