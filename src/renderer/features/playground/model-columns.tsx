import { Plus, X } from 'lucide-react'
import type { ModelRecord } from '../../../shared/api/models.ts'
import { Button } from '../../kit/button.tsx'
import { IconButton } from '../../kit/icon-button.tsx'
import { ModelPicker } from '../../kit/model-picker.tsx'

const MAX_COLUMNS = 3

interface ModelColumnsProps {
  models: readonly ModelRecord[]
  chosen: readonly string[]
  disabled: boolean
  onChoose: (column: number, id: string) => void
  onAdd: (id: string) => void
  onRemove: (column: number) => void
}

export function ModelColumns({ models, chosen, disabled, onChoose, onAdd, onRemove }: ModelColumnsProps) {
  const next = models.find(({ id }) => !chosen.includes(id))?.id ?? chosen[0]
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-line border-b px-6 py-2.5">
      {chosen.map((id, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a column has no identity other than its position
        <div key={column} className="flex min-w-0 items-center">
          <ModelPicker
            label={column === 0 ? 'Model' : `Model ${column + 1}`}
            models={models}
            value={id}
            onChange={(other) => onChoose(column, other)}
            className="w-44"
          />
          {chosen.length > 1 ? (
            <IconButton
              small
              icon={X}
              label={`Remove model ${column + 1}`}
              disabled={disabled}
              onClick={() => onRemove(column)}
            />
          ) : null}
        </div>
      ))}
      {chosen.length < MAX_COLUMNS && next ? (
        <Button variant="quiet" icon={Plus} disabled={disabled} onClick={() => onAdd(next)}>
          Add model
        </Button>
      ) : null}
    </div>
  )
}
