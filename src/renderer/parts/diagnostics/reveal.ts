import { errorMessage } from '../../../shared/values/text.ts'
import { showError } from '../../kit/show-error.ts'

/** Opens the folder of the log in the file manager. Does nothing in a browser. */
export const revealLog = () => report(window.desktop?.revealLog())

/** Opens the data folder in the file manager. Does nothing in a browser. */
export const revealDataDir = () => report(window.desktop?.revealDataDir())

/** Quits the app and starts it again. Does nothing in a browser. */
export const restartApp = () => report(window.desktop?.relaunch())

async function report(action: Promise<unknown> | undefined): Promise<void> {
  try {
    await action
  } catch (thrown) {
    showError(errorMessage(thrown))
  }
}
