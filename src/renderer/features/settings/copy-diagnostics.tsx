import { ClipboardList } from 'lucide-react'
import { Button } from '../../kit/button.tsx'
import { copyDiagnostics } from '../../parts/diagnostics/copy-diagnostics.ts'

export function CopyDiagnostics() {
  return (
    <Button icon={ClipboardList} onClick={() => void copyDiagnostics()}>
      Copy diagnostics
    </Button>
  )
}
