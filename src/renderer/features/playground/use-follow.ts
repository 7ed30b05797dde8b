import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** A view counts as being at its end when it is scrolled to within this distance of it. */
const END_PX = 80

export interface Follow {
  scroller: RefObject<HTMLDivElement | null>
  content: RefObject<HTMLDivElement | null>
  /** Handles the scroller's scroll event. */
  onScroll: () => void
  /** The user scrolled away from the end. */
  away: boolean
  jumpToEnd: () => void
}

/**
 * Keeps a scrolling view at its end while its content grows, until the user scrolls up. `sentId` and `chatId`: the view goes
 * to its end when one of them changes.
 */
export function useFollow(chatId: string, sentId: string | null): Follow {
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const following = useRef(true)
  const lastTop = useRef(0)
  const [away, setAway] = useState(false)

  const toEnd = useRef(() => {
    const view = scroller.current
    if (!view) return
    view.scrollTop = view.scrollHeight
    lastTop.current = view.scrollTop
  })
  const follow = useRef((next: boolean) => {
    following.current = next
    setAway(!next)
  })
  const jumpToEnd = () => {
    follow.current(true)
    toEnd.current()
    scroller.current?.focus({ preventScroll: true })
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: it goes to the end when these change
  useLayoutEffect(() => {
    follow.current(true)
    toEnd.current()
  }, [chatId, sentId])

  useEffect(() => {
    if (!scroller.current || !content.current) return
    // Also the view itself: it becomes smaller when the message has more lines.
    const observer = new ResizeObserver(() => following.current && toEnd.current())
    observer.observe(scroller.current)
    observer.observe(content.current)
    return () => observer.disconnect()
  }, [])

  return {
    scroller,
    content,
    away,
    jumpToEnd,
    onScroll() {
      const view = scroller.current
      if (!view) return
      const isAtEnd = view.scrollHeight - view.scrollTop - view.clientHeight < END_PX
      // Content that grew before the view followed it is not the user scrolling.
      if (isAtEnd) follow.current(true)
      else if (view.scrollTop < lastTop.current) follow.current(false)
      lastTop.current = view.scrollTop
    },
  }
}
