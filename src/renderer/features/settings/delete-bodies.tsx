import { useState } from 'react'
import { toast } from 'sonner'
import { api } from '../../data/api.ts'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/dialog.tsx'

export function DeleteBodies() {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button onClick={() => setAsking(true)}>Delete…</Button>
      {asking ? (
        <ConfirmDialog
          open
          onClose={() => setAsking(false)}
          title="Delete all stored prompts and answers?"
          description="The requests are kept with their costs and times. This cannot be undone."
          action="Delete"
          onConfirm={async () => {
            const { deleted } = await api('deleteBodies')
            toast.success(
              deleted === 0
                ? 'There were none to delete.'
                : `Deleted the prompts and answers of ${deleted} ${deleted === 1 ? 'request' : 'requests'}.`,
            )
          }}
        />
      ) : null}
    </>
  )
}
