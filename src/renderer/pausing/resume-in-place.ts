import { toast } from 'sonner'
import type { KeyMetadata } from '../../shared/api/keys.ts'
import { toApiError } from '../api-error.ts'
import { showError } from '../components/show-error.ts'
import { quoteName } from '../quote-name.ts'
import { resumeKey } from '../server-state/mutations.ts'

/** Resumes a key from its row; a toast says what came of it. */
export async function resumeInPlace({ id, name }: KeyMetadata): Promise<void> {
  try {
    await resumeKey(id)
    toast.success(`${quoteName(name)} works again.`)
  } catch (thrown) {
    showError(toApiError(thrown).message)
  }
}
