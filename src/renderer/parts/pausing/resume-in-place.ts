import { toast } from 'sonner'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import { resumeKey } from '../../data/mutations.ts'
import { toApiError } from '../../kit/api-error.ts'
import { quoteName } from '../../kit/quote-name.ts'
import { showError } from '../../kit/show-error.ts'

/** Resumes a key from its row; a toast says what came of it. */
export async function resumeInPlace({ id, name }: KeyMetadata): Promise<void> {
  try {
    await resumeKey(id)
    toast.success(`${quoteName(name)} works again.`)
  } catch (thrown) {
    showError(toApiError(thrown).message)
  }
}
