import { useCallback, useEffect, useRef, useState } from 'react'
import { type ApiError, toApiError } from './api-error.ts'

const IDLE: { pending: boolean; error: ApiError | null } = { pending: false, error: null }

/**
 * The state of a form's submission. While one runs, `submit` does nothing. `onSuccess` gets the action's result, unless
 * the component was unmounted or `reset` meanwhile: by then it may show something else.
 */
export function useSubmit() {
  const [state, setState] = useState(IDLE)
  const running = useRef<symbol | null>(null)
  const reset = useCallback(() => {
    running.current = null
    setState(IDLE)
  }, [])
  useEffect(
    () => () => {
      running.current = null
    },
    [],
  )
  const submit = useCallback(
    async <T>(action: () => Promise<T>, onSuccess?: (result: T) => void): Promise<void> => {
      if (running.current !== null) return
      const submission = Symbol()
      running.current = submission
      setState({ pending: true, error: null })
      const outcome = await action().then(
        (result) => ({ error: null, finish: () => onSuccess?.(result) }),
        (thrown: unknown) => ({ error: toApiError(thrown), finish: () => undefined }),
      )
      if (running.current !== submission) return
      running.current = null
      setState({ pending: false, error: outcome.error })
      outcome.finish()
    },
    [],
  )
  return { ...state, submit, reset }
}
