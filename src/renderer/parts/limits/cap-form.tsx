import { toast } from 'sonner'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import { updateKey } from '../../data/mutations.ts'
import { formatUsd } from '../../kit/format.ts'
import { quoteName } from '../../kit/quote-name.ts'
import { AmountForm } from './amount-form.tsx'

/** Edits the spend cap of a key. */
export function CapForm({ record, onDone }: { record: KeyMetadata; onDone: () => void }) {
  const { id, name, spendUsd, spendLimitUsd } = record
  return (
    <AmountForm
      label="Spend cap (USD)"
      spentUsd={spendUsd}
      limitUsd={spendLimitUsd}
      placeholder="No cap"
      hint={`Lifetime cap; ${formatUsd(spendUsd)} spent so far.`}
      stopsHint={
        spendUsd > 0
          ? `This stops the key: it has already spent ${formatUsd(spendUsd)}. Raise the cap to continue.`
          : 'This stops the key. Raise the cap to continue.'
      }
      removeLabel="Remove cap"
      rehearsed={{ keyId: id, who: name, kind: null }}
      save={async (limitUsd) => {
        await updateKey(id, { spendLimitUsd: limitUsd })
        toast.success(
          limitUsd === null
            ? `${quoteName(name)} has no cap now.`
            : `The cap of ${quoteName(name)} is now ${formatUsd(limitUsd)}.`,
        )
      }}
      onDone={onDone}
    />
  )
}
