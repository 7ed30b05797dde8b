// Owns copying to the clipboard, and showing that it was done. Knows nothing of what is copied.
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { toast } from 'sonner'
import { Button, IconButton } from './button.tsx'

const SHOWN_MS = 1500

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    toast.error('The clipboard could not be reached. Select the text and copy it by hand.')
    return false
  }
}

function useCopy(text: string): { done: boolean; copy: () => void } {
  const [done, setDone] = useState(false)
  useEffect(() => {
    if (!done) return
    const timer = setTimeout(() => setDone(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [done])
  return { done, copy: () => void copyText(text).then(setDone) }
}

interface CopyProps {
  text: string
  /** What it copies: "Copy secret". */
  label: string
}

export function CopyIconButton({ text, label }: CopyProps) {
  const { done, copy } = useCopy(text)
  return <IconButton label={done ? 'Copied' : label} icon={done ? Check : Copy} small onClick={copy} />
}

export function CopyButton({ text, label, primary = false }: CopyProps & { primary?: boolean }) {
  const { done, copy } = useCopy(text)
  return (
    <Button
      variant={primary ? 'primary' : 'secondary'}
      icon={done ? Check : Copy}
      onClick={copy}
      aria-label={label}
    >
      {done ? 'Copied' : label}
    </Button>
  )
}
