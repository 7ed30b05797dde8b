import { type DragEvent, type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react'

interface ReorderOptions {
  /** The ids of the rows, in their order. */
  ids: readonly string[]
  getName: (id: string) => string
  /** Stores the order. Never rejects; after a failure, `ids` are as before. */
  onReorder: (ids: string[]) => Promise<void> | void
}

/** Changes the order of rows by dragging, and with buttons and arrow keys; says where a row is now. */
export function useReorder({ ids, getName, onReorder }: ReorderOptions) {
  /** While a row is dragged: the order as it would be after dropping it. */
  const [drag, setDrag] = useState<{ id: string; order: readonly string[] } | null>(null)
  /** Until the new order is stored. */
  const [stored, setStored] = useState<readonly string[] | null>(null)
  const storing = useRef(Promise.resolve())
  const shown = drag?.order ?? stored ?? ids
  const [announcement, setAnnouncement] = useState('')
  // A row that moves in the DOM loses the focus; return it to the control that moved it.
  const focused = useRef<HTMLElement | null>(null)
  useLayoutEffect(() => {
    focused.current?.focus()
    focused.current = null
  })

  const commit = (id: string, order: readonly string[]) => {
    setDrag(null)
    if (order.every((other, index) => other === (stored ?? ids)[index])) return
    setAnnouncement(`${getName(id)} is now number ${order.indexOf(id) + 1} of ${order.length}.`)
    setStored(order)
    // One after another, so that the last one stays.
    storing.current = storing.current
      .then(() => onReorder([...order]))
      .then(() => setStored((now) => (now === order ? null : now)))
  }
  const place = (id: string, to: number) => shown.filter((other) => other !== id).toSpliced(to, 0, id)
  const move = (id: string, by: -1 | 1) => {
    const to = shown.indexOf(id) + by
    if (to < 0 || to >= shown.length) return
    if (document.activeElement instanceof HTMLElement) focused.current = document.activeElement
    commit(id, place(id, to))
  }
  return {
    order: shown,
    dragged: drag?.id ?? null,
    announcement,
    move,
    /** The properties of a row: others are dropped on it. */
    rowProps: (id: string) => ({
      onDragOver(event: DragEvent) {
        if (drag === null) return
        event.preventDefault()
        if (drag.id !== id) setDrag({ id: drag.id, order: place(drag.id, drag.order.indexOf(id)) })
      },
      onDrop(event: DragEvent) {
        if (drag === null) return
        event.preventDefault()
        commit(drag.id, drag.order)
      },
    }),
    /** The properties of the row or of the button by which it is dragged. */
    handleProps: (id: string) => ({
      'data-handle': id,
      draggable: true,
      onDragStart(event: DragEvent<HTMLElement>) {
        event.dataTransfer.effectAllowed = 'move'
        const row = event.currentTarget.closest('li')
        if (row) event.dataTransfer.setDragImage(row, 16, 16)
        setDrag({ id, order: shown })
      },
      // Also where nothing was dropped on: the order stays as it was.
      onDragEnd: () => setDrag(null),
      onKeyDown(event: KeyboardEvent) {
        const by = { ArrowUp: -1, ArrowDown: 1 }[event.key]
        if (by !== -1 && by !== 1) return
        event.preventDefault()
        move(id, by)
      },
    }),
  }
}
