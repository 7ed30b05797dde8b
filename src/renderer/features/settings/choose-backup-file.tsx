import { Upload } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '../../kit/button.tsx'

interface ChooseBackupFileProps {
  pending: boolean
  onChoose: (file: File) => void
}

export function ChooseBackupFile({ pending, onChoose }: ChooseBackupFileProps) {
  const input = useRef<HTMLInputElement>(null)
  const choose = ({ files }: HTMLInputElement) => {
    const file = files?.[0]
    if (file) onChoose(file)
    // Otherwise choosing the same file again would be no change.
    if (input.current) input.current.value = ''
  }
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".db"
        aria-label="Backup file"
        hidden
        onChange={({ target }) => choose(target)}
      />
      <Button variant="quiet" icon={Upload} pending={pending} onClick={() => input.current?.click()}>
        Import…
      </Button>
    </>
  )
}
