import { ClipboardList } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { copyDiagnostics } from '../../diagnostics/copy-diagnostics.ts'

export function CopyDiagnostics() {
  return (
    <Button icon={ClipboardList} onClick={() => void copyDiagnostics()}>
      Copy diagnostics
    </Button>
  )
}
