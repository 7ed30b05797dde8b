import { Component, type ReactNode } from 'react'
import { errorMessage } from '../../shared/values/text.ts'
import { Button } from '../kit/button.tsx'

interface State {
  message: string | null
}

/** Shows an error page in place of a window that failed to render. */
export class FailureBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { message: null }

  static getDerivedStateFromError(thrown: unknown): State {
    return { message: errorMessage(thrown) }
  }

  override render() {
    if (this.state.message === null) return this.props.children
    return (
      <div role="alert" className="flex h-full flex-col items-center justify-center gap-3 p-6 text-center">
        <h1 className="font-semibold text-lg">Something went wrong in this window</h1>
        <p className="max-w-md text-ink-2">
          The gateway is not affected and keeps serving requests. Reload the window. If the error comes back,
          please report this text.
        </p>
        <code className="max-w-xl rounded-md bg-sunken px-3 py-2 text-sm">{this.state.message}</code>
        <Button variant="primary" onClick={() => window.location.assign('/')}>
          Reload window
        </Button>
      </div>
    )
  }
}
