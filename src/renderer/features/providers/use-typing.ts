import { useEffect, useRef, useState } from 'react'

/**
 * Whether the user changes a field: from the first change until the field is left. A press elsewhere ends that only once it is
 * over: what then appears would move the button that is pressed away from the pointer. A click into the field does not begin it:
 * what then disappears would move the field.
 */
export function useTyping() {
  const [typing, setTyping] = useState(false)
  const pressing = useRef(false)
  const left = useRef(false)
  useEffect(() => {
    const down = () => {
      pressing.current = true
    }
    const up = () => {
      pressing.current = false
      // The click follows in the same task.
      setTimeout(() => left.current && setTyping(false))
    }
    document.addEventListener('pointerdown', down, true)
    document.addEventListener('pointerup', up, true)
    document.addEventListener('pointercancel', up, true)
    return () => {
      document.removeEventListener('pointerdown', down, true)
      document.removeEventListener('pointerup', up, true)
      document.removeEventListener('pointercancel', up, true)
    }
  }, [])
  return {
    typing,
    startTyping: () => setTyping(true),
    fieldProps: {
      onFocus: () => {
        left.current = false
      },
      onBlur: () => {
        left.current = true
        if (!pressing.current) setTyping(false)
      },
    },
  }
}
